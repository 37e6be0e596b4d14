"""Markdown and code as HTML: headings with anchors, links to pages of the site, names of the reference as links, colours."""
import functools
import html
import re

import markdown_it
import pygments
import pygments.formatters
import pygments.lexers

lexer = functools.lru_cache(None)(pygments.lexers.get_lexer_by_name)
FORMAT = pygments.formatters.HtmlFormatter(nowrap=True)
LEXERS = {"cpp": "cpp", "c": "c", "python": "python", "json": "json", "cmake": "cmake", "bash": "bash", "sh": "bash",
          "cu": "cpp", "cuh": "cpp", "hpp": "cpp", "ipp": "cpp", "h": "c", "py": "python", "js": "javascript", "css": "css",
          "toml": "toml"}


def anchor(heading):
    """The anchor of a heading's text, as tests/checks/pages.py has it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def plain(tokens):
    """The words of inline tokens."""
    return "".join(t.content if t.type in ("text", "code_inline") else " " if t.type == "softbreak" else "" for t in tokens)


class renderer:
    """`where(page, link)` is the address of what a page links to, `named(page, words)` of a name of the reference, or None."""

    def __init__(self, where, named):
        self.where, self.named = where, named
        self.markdown = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
        self.of_comments = markdown_it.MarkdownIt("commonmark", {"html": False}).enable("table")

    def code(self, page, text, language=""):
        """Coloured, with each `repebble::NAME`, and in the reference each type, a link."""
        if language not in LEXERS:
            return html.escape(text, quote=False)
        shown = pygments.highlight(text, lexer(LEXERS[language]), FORMAT).rstrip("\n")

        def linked(found):
            scope = re.sub(r"<.*?>", "", found.group(1))
            if not scope and re.match(r"(<[^>]*>)*\s*(<[^>]*>)*([={(;]|$)", shown[found.end():]):
                return found.group(0)  # what is declared
            at = self.named(page, scope + found.group(3), scope == "")
            return f'{found.group(1)}<a href="{at}">{found.group(2)}</a>' if at else found.group(0)

        if LEXERS[language] != "cpp":
            return shown
        return re.sub(r'((?:<span class="\w+">(?:repebble|io|views|report)</span><span class="\w+">::</span>)*)'
                      r'(<span class="n[a-z]*">(\w+)</span>)', linked, shown)

    def page(self, page, text):
        """(HTML, title, sections, rows): a section is (level, heading, anchor, words), a row of a table (its cells, its anchor)."""
        tokens = self.markdown.parse(text)
        sections, seen, rows, row = [(1, "", "", [])], {}, [], None
        for token, before in zip(tokens, [None, *tokens]):
            if token.type == "tr_open":
                row = token
                rows.append(([], row))
            elif before and before.type == "td_open" and token.type == "inline":
                rows[-1][0].append(plain(token.children))
                if len(rows[-1][0]) == 1:
                    row.attrSet("id", "row-" + re.sub(r"[^\w.\-]+", "-", rows[-1][0][0]))
            if token.type == "inline":
                if before.type == "heading_open":
                    name = anchor(plain(token.children))
                    seen[name] = seen.get(name, -1) + 1
                    name += f"-{seen[name]}" if seen[name] else ""
                    before.attrSet("id", name)
                    sections.append((int(before.tag[1]), plain(token.children), name, []))
                else:
                    sections[-1][3].append(plain(token.children))
                self.inline(page, token.children)
            elif token.type == "fence":
                sections[-1][3].append(token.content)
                token.type, token.content = "html_block", self.fence(page, token)
            elif token.type == "html_block" and token.content.startswith("<!--"):
                token.content = ""
        title = next((heading for level, heading, *_ in sections if level == 1 and heading), page)
        rows = [(cells, row.attrGet("id")) for cells, row in rows if cells]
        return self.tables(self.markdown.renderer.render(tokens, self.markdown.options, {})), title, sections, rows

    def fence(self, page, token):
        return f"<pre><code>{self.code(page, token.content, token.info.strip())}</code></pre>\n"

    def inline(self, page, tokens):
        within = False
        for token in tokens:
            if token.type in ("link_open", "link_close"):
                within = token.type == "link_open"
                if within:
                    token.attrSet("href", self.where(page, token.attrGet("href")))
            elif token.type == "image":
                token.attrSet("src", self.where(page, token.attrGet("src")))
            elif token.type == "code_inline" and not within and (at := self.named(page, token.content, False)):
                token.type = "html_inline"
                token.content = f'<a href="{at}"><code>{html.escape(token.content, quote=False)}</code></a>'

    @staticmethod
    def tables(text):
        return text.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")

    def comment(self, page, text):
        """The text of a declaration: Markdown, where lines that are moved to the right are a layout of their own."""
        lines, within, in_list = [], False, False
        for line in text.splitlines():
            moved = re.match(r" {2,}\S", line) and not in_list
            if moved != within and (moved or within):
                lines += ["", "```cpp"] if moved else ["```", ""]
                within = bool(moved)
            in_list = bool(re.match(r"[-*] ", line)) or in_list and line.startswith("  ")
            lines.append(line)
        text = "\n".join([*lines, "```"] if within else lines)
        text = re.sub(r"```cpp\n(.*?)\n```", lambda found: f"```cpp\n{dedented(found.group(1))}\n```", text, flags=re.DOTALL)
        tokens = self.of_comments.parse(text)
        for token in tokens:
            if token.type == "inline":
                self.inline(page, token.children)
            elif token.type == "fence":
                token.type, token.content = "html_block", self.fence(page, token)
        return self.tables(self.of_comments.renderer.render(tokens, self.of_comments.options, {}))

    def docstring(self, page, text):
        """The text of a Python function: what an argument means is an item of a list."""
        text = re.sub(r"^(\w+(?:, \w+)*): ", r"- *\1*: ", text, flags=re.MULTILINE)
        return self.comment(page, re.sub(r"(?<!\n)\n- ", "\n\n- ", re.sub(r"^ {4}(?=\S)", "  ", text, flags=re.MULTILINE)))


def dedented(text):
    least = min(len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip())
    return "\n".join(line[least:] for line in text.splitlines())
