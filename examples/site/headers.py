"""What a header declares for its users: each public name with its declaration as it is written and its `///` text.

No compiler is asked: headers here are formatted by one tool, so brackets and semicolons are enough. What is private, in a
namespace `detail`, a friend, or deleted is left out. A function object is shown as it is called: a constant of type
`detail::NAME_fn` gets the call operators of that type. tests/checks/site.py compares all with what Doxygen finds.
"""
import dataclasses
import re
import textwrap


@dataclasses.dataclass
class declaration:
    """A name: `kind` is function, constant, struct, class, enum, enumerator, alias, concept, member or macro."""

    kind: str
    name: str
    scope: str
    code: str
    text: str
    line: int
    members: list = dataclasses.field(default_factory=list)
    joint: str = "::"

    @property
    def full(self):
        return f"{self.scope}{self.joint}{self.name}"


def about(text):
    """The comment about the file, between the include guard and the first #include."""
    found = re.search(r"^#define \w+\n\n((?://[^\n]*\n(?:\n(?=//))?)+)", text, re.MULTILINE)
    return "\n".join(line.removeprefix("//").removeprefix(" ") for line in found.group(1).splitlines()) if found else ""


def closing(text, at):
    """The place behind the bracket that closes the one at `at`; strings and comments are passed over."""
    depth = 0
    for found in re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[({\[]|[)}\]]').finditer(text, at):
        mark = found.group()
        depth += (mark in "({[") - (mark in ")}]") if len(mark) == 1 else 0
        if depth == 0:
            return found.end()
    raise ValueError(f"a bracket is not closed: {text[at:at + 60]!r}")


def without_template(head):
    """A declaration without template<...>, requires-clauses before it, and attributes."""
    head = re.sub(r"\[\[.*?\]\]", "", head).strip()
    while found := re.match(r"(template\s*<|requires\b\s*(requires\s*)?\()", head):
        if head.startswith("template"):
            depth, at = 0, head.index("<")
            for at in range(at, len(head)):
                depth += (head[at] == "<") - (head[at] == ">" and head[at - 1] != "-")
                if depth == 0:
                    break
            head = head[at + 1:].strip()
        else:
            head = head[closing(head, found.end() - 1):].strip()
            if head.startswith("{"):  # of a requires-expression
                head = head[closing(head, 0):].strip()
            while joined := re.match(r"(&&|\|\|)\s*(\w|::)+(<[^()]*?>(?=\s))?", head):
                head = head[joined.end():].strip()
        if found := re.match(r"requires\s+(?!\()[\w:]+<.*?>\s*\n", head):
            head = head[found.end():].strip()
    if found := re.match(r"requires\s+(?!\()[^\n]*\n", head):
        head = without_template(head[found.end():])
    return head


class reader:
    def __init__(self, text):
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda found: re.sub(r"[^\n]", " ", found.group()), text,
                      flags=re.MULTILINE)
        self.text = re.sub(r"(namespace [\w:]+)::inline v\d+", r"\1", text)
        self.at = 0
        self.objects = {}  # how function objects are called, by the name of their type

    def line(self, at):
        return self.text.count("\n", 0, at) + 1

    def declared(self):
        """The code up to `;` or `{` of the next declaration, without what is in the braces, and how it ends."""
        begin, text = self.at, self.text
        mark = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|[({\[;]')
        while found := mark.search(text, self.at):
            if found.group() == ";":
                self.at = found.end()
                return text[begin:found.start()], ";"
            head = text[begin:found.start()]
            expression = re.search(r"(=|&&|\|\||!|\(|requires)\s*requires\s*(\([^{}]*\))?\s*$|requires\s*$", head)
            if found.group() == "{" and not expression:
                core = without_template(head)
                function = re.search(r"\)\s*(const|noexcept|override|final|&|\s)*(->[^;]*|requires[^;]*|:[^:][^;]*)?$", core)
                scope = re.match(r"(inline )?namespace\b|(struct|class|union|enum)\b[^()=]*$", core)
                if (function or scope) and not re.search(r"[^=!<>]=\s*$", core):
                    self.at = found.start()
                    return head, "{"
            self.at = closing(text, found.start()) if found.group() in "({[" else found.end()
        self.at = len(text)
        return "", ""

    def scope(self, name, private, within_enum=False):
        """The declarations up to the end of a scope."""
        found, comment, hidden = [], [], private
        while True:
            self.at = re.compile(r"\s*").match(self.text, self.at).end()
            rest = self.text[self.at:self.at + 400]
            if not rest or rest[0] == "}":
                self.at += 1
                return found
            if line := re.match(r"//[^\n]*", rest):
                line = re.compile(r"//[^\n]*").match(self.text, self.at).group()
                self.at += len(line)
                if line.startswith("///<"):
                    if found and not hidden:
                        found[-1].text = f"{found[-1].text}\n{line[4:].strip()}".strip()
                elif line.startswith("///"):
                    comment.append(line[3:].removeprefix(" "))
                continue
            if access := re.match(r"(public|private|protected)\s*:(?!:)", rest):
                hidden, comment = private or access.group(1) != "public", []
                self.at += access.end()
                continue
            if rest[0] in ";,":
                self.at += 1
                continue
            if within_enum:
                self.enumerator(name, found, comment)
            else:
                self.one(name, hidden, found, "\n".join(comment))
            comment = []

    def enumerator(self, name, found, comment):
        code = re.compile(r"[^,}/]+").match(self.text, self.at).group().strip()
        found.append(declaration("enumerator", re.match(r"\w+", code).group(), name, code, "\n".join(comment),
                                 self.line(self.at)))
        self.at += len(code)

    def one(self, scope, hidden, found, comment):
        """Reads one declaration with what belongs to it; those that are public go to `found`."""
        begin = self.at
        head, end = self.declared()
        core, line = without_template(head), self.line(begin)
        if space := re.match(r"namespace\s*([\w:]*)", core):
            self.at += 1
            inner = space.group(1)
            full = f"{scope}::{inner}".strip(":")
            found += self.scope(full, hidden or inner.split("::")[-1] in ("detail", "") or inner in ("std", "boost", "ranges"))
            return
        kind = re.match(r"(struct|class|union|enum)\b(?:\s+(?:class|struct))?\s*(\w[\w:]*(?:<[^{}]*>)?)?", core)
        if end == "{" and kind:
            self.at += 1
            name = (kind.group(2) or "").split("<")[0]
            object_type = name.endswith("_fn")
            inner = self.scope(f"{scope}::{name}".strip(":"), hidden and not object_type, kind.group(1) == "enum")
            self.declared()
            specialisation = "<" in (kind.group(2) or "")
            if object_type:
                self.objects[name] = inner
            elif not hidden and not specialisation and name:
                found.append(declaration(kind.group(1).replace("union", "struct"), name, scope,
                                         textwrap.dedent(head).strip(), comment, line, inner))
            return
        code = self.text[begin:self.at - (end == ";")]
        if end == "{":
            code = self.text[begin:self.at]
            self.at = closing(self.text, self.at)
            while more := re.compile(r"\s*(?:,[^{};]*)?\{").match(self.text, self.at):  # after a member's initialiser
                self.at = closing(self.text, more.end() - 1)
        if hidden or not core or re.match(r"friend\b|using [\w:<>]+::|using namespace|static_assert|extern\b|goto\b", core) or \
                re.search(r"=\s*delete$", code.strip()):
            return
        if made := self.named(core, scope, self.layout(code, begin), comment, line):
            found.append(made)

    def layout(self, code, begin):
        """Lines moved to the left as one, without comments."""
        first = begin - (self.text.rfind("\n", 0, begin) + 1)
        code = textwrap.dedent(" " * first + code)
        return re.sub(r"[ \t]*//[^\n]*", "", code).strip()

    def named(self, core, scope, code, comment, line):
        owner = scope.split("::")[-1]
        if concept := re.match(r"concept\s+(\w+)", core):
            return declaration("concept", concept.group(1), scope, code, comment, line)
        if alias := re.match(r"using\s+(\w+)\s*=", core):
            return declaration("alias", alias.group(1), scope, code, comment, line)
        if re.match(r"(struct|class|enum)\b[^()]*$", core):
            kind = "struct" if re.search(r"\w", core.split(None, 1)[-1]) else ""
            name = re.match(r"(?:struct|class|enum)(?:\s+class)?\s+(\w+)", core)
            return declaration(kind, name.group(1), scope, code, comment, line) if comment and name else None
        if re.search(r"detail::(\w+_fn)\s+\w+\s*(\{|$)", core):
            name, of = re.search(r"detail::(\w+_fn)\s+(\w+)", core).group(2, 1)
            calls = [dataclasses.replace(c, name=name, scope=scope, code=c.code.replace("operator()(", f"{name}("))
                     for c in self.objects.get(of, []) if c.name == "operator()"]
            return declaration("function", name, scope, "", comment, line, calls)
        if pointer := re.search(r"\(\*(\w+)\)\(", core):
            return declaration("member", pointer.group(1), scope, code, comment, line)
        if conversion := re.search(r"\b(operator [\w:]+(?:<.*?>)?)\(", core):
            return declaration("function", conversion.group(1), scope, code, comment, line)
        call = re.search(r"(operator\s*(?:\(\)|\[\]|[^\w\s(]+|\w+)|~?\b(?!decltype\b)\w+)\s*\(", core)
        before = core[:call.start()] if call else core
        if call and "=" not in before.replace("operator==", "") and not re.search(r"<[^<>]*$", before):
            if call.group(1) == owner:  # a constructor, whose initialisers are nobody's business
                code = code[:closing(code, code.index(f"{owner}(") + len(owner))]
            return declaration("function", call.group(1), scope, code, comment, line)
        if name := re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:\{.*|=.*)?$", core, re.DOTALL):
            declared = re.match(r"[^={]*?(\w+)\s*(?:\[[^\]]*\]\s*)?(?=[={]|$)", core.strip(), re.DOTALL)
            is_member = re.match(r"[a-z]", owner) and scope.count("::") and not re.search(r"\binline constexpr\b", core)
            return declaration("member" if is_member else "constant", (declared or name).group(1), scope, code, comment, line)
        return None


def read(text):
    """The public declarations of a header, in order."""
    return reader(text).scope("", False)
