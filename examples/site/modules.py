"""What a Python package gives its users: the names of its `__all__`, with signatures and docstrings, read and not imported."""
import ast
import dataclasses
import functools
import re
import textwrap

import headers

declaration = functools.partial(headers.declaration, joint=".")


def is_made_by(part, decorator):
    return any(ast.unparse(d) == decorator for d in part.decorator_list)


def signature(lines, function, name):
    """As it is written, but for `def`, `self` and the colon."""
    end = function.body[0].lineno - 1
    text = "\n".join(lines[function.lineno - 1:max(end, function.lineno)])
    text = re.sub(r":\s*(\.\.\.)?\s*$", "", textwrap.dedent(text))
    return re.sub(r"^(async )?def \w+\((\s*)self(?:, |,\s*\n|(?=\)))", lambda found: f"{name}({found.group(2)}", text
                  ).removeprefix("def ").replace("(\n        ", "(\n    ")


def members_of(lines, body, scope):
    """The public functions and fields of a class; the string below a field is its text."""
    found = []
    for part, after in zip(body, [*body[1:], None]):
        if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name == "__call__"):
            called = scope.split(".")[-1] if part.name == "__call__" else part.name
            if is_made_by(part, "property"):
                code, kind = f"{called}: {ast.unparse(part.returns)}", "member"
            else:
                code, kind = signature(lines, part, called), "function"
            if not is_made_by(part, "overload"):
                found.append(declaration(kind, part.name, scope, code, ast.get_docstring(part) or "", part.lineno))
        elif isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_"):
            value = after.value if isinstance(after, ast.Expr) else None
            text = value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
            found.append(declaration("member", ast.unparse(part.target), scope, f"{ast.unparse(part.target)}: {ast.unparse(part.annotation)}",
                                     re.sub(r"\s+", " ", text), part.lineno))
    return found


def exported(tree):
    """The names of `__all__`, each with the module that it comes from: those imported here, or told by a table `_PLACES`."""
    places, names = {}, []
    for part in tree.body:
        if isinstance(part, ast.ImportFrom) and part.module and part.level:
            places |= {alias.asname or alias.name: part.module for alias in part.names}
        elif isinstance(part, (ast.Assign, ast.AnnAssign)):
            target = ast.unparse(part.targets[0] if isinstance(part, ast.Assign) else part.target)
            if target == "_PLACES":
                places |= ast.literal_eval(part.value)
            elif target == "__all__":
                names = sorted(places) if isinstance(part.value, ast.Call) else ast.literal_eval(part.value)
        elif isinstance(part, (ast.FunctionDef, ast.ClassDef)):
            places[part.name] = "__init__"
    return {name: places[name] for name in names if name in places}


def read(folder, package):
    """The docstring of a package, and its public names."""
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    found = []
    for name, module in exported(tree).items():
        text = (folder / f"{module}.py").read_text(encoding="utf-8")
        lines = text.splitlines()
        for part in ast.parse(text).body:
            if isinstance(part, ast.ClassDef) and part.name == name:
                bases = ", ".join(map(ast.unparse, part.bases))
                found.append(declaration("class", name, package, f"class {name}({bases})" if bases else f"class {name}",
                                         ast.get_docstring(part) or "", part.lineno,
                                         members_of(lines, part.body, f"{package}.{name}")))
            elif isinstance(part, ast.FunctionDef) and part.name == name and not is_made_by(part, "overload"):
                found.append(declaration("function", name, package, signature(lines, part, name),
                                         ast.get_docstring(part) or "", part.lineno))
        constants = [m for m in members_of(lines, ast.parse(text).body, package) if m.kind == "member"]
        found += [dataclasses.replace(c, kind="constant") for c in constants if c.name == name]
    return ast.get_docstring(tree) or "", found
