#ifndef REPEBBLE_REPORT_DETAIL_PAGE_STYLE_HPP
#define REPEBBLE_REPORT_DETAIL_PAGE_STYLE_HPP

// The style sheet of the page, with one set of colours for light and one for dark, and the sections that the script
// fills. The same colour means the same in every picture. html_page.hpp puts them into the page.

#include <string_view>

namespace repebble::inline v0::report::detail {

/// The style sheet.
inline constexpr std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --back: #ffffff; --panel: #f5f7f9; --text: #1a1f24; --faint: #5d6873; --line: #dfe4e8;
  --before: #c3cad1; --plan: #14589c; --budget: #b3261e; --floor: #7b5e00; --tight: #f2b705;
  --forward: #5b9bd5; --backward: #4aa37f; --again: #e0762d; --copied: #9a62b3; --workspace: #a4adb5; --input: #c9b24d;
  --held: #5b9bd5; --fixed: #8d99a3; --on-bar: #10151a;
}
@media (prefers-color-scheme: dark) { :root {
  --back: #14181c; --panel: #1c2227; --text: #e4e8eb; --faint: #9aa5af; --line: #323a41;
  --before: #4a545d; --plan: #6db1f2; --budget: #ff7b6e; --floor: #d6b452; --tight: #d9a400;
  --forward: #4d8cc4; --backward: #439873; --again: #e58443; --copied: #aa76c2; --workspace: #7b858e; --input: #b9a445;
  --held: #4d8cc4; --fixed: #8d99a3; --on-bar: #0b0f13;
} }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 28px 28px 60px; max-width: 1240px; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", "Liberation Sans", sans-serif; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 40px 0 4px; }
p { margin: 6px 0; max-width: 92ch; }
.faint { color: var(--faint); }
.cards { display: flex; flex-wrap: wrap; gap: 12px; margin: 18px 0 0; }
.card { background: var(--panel); border-radius: 8px; padding: 10px 16px; min-width: 170px; flex: 1; }
.card b { display: block; font-size: 21px; font-weight: 600; }
.card span { color: var(--faint); font-size: 13px; }
.plot { position: relative; width: 100%; }
.plot canvas { position: absolute; left: 0; top: 0; width: 100%; height: 100%; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; margin: 8px 0 2px; align-items: center; }
.legend i { display: inline-block; width: 14px; height: 12px; border-radius: 2px; margin-right: 6px;
  vertical-align: -1px; }
.legend i.thin { height: 0; border-top: 2px solid; border-radius: 0; vertical-align: 4px; }
.legend i.dashes { border-top-style: dashed; } .legend i.dots { border-top-style: dotted; }
.legend i.dot { width: 10px; height: 10px; border-radius: 5px; }
#chosen:empty { display: none; } #chosen { border-left: 4px solid var(--again); padding-left: 10px; }
.tools { display: flex; flex-wrap: wrap; gap: 10px; align-items: center; font-size: 13px; color: var(--faint); }
button, input, select { font: inherit; font-size: 13px; color: var(--text); background: var(--panel);
  border: 1px solid var(--line); border-radius: 5px; padding: 2px 9px; }
button[aria-pressed=true] { background: var(--plan); border-color: var(--plan); color: var(--back); }
.tip { position: fixed; z-index: 9; pointer-events: none; background: var(--back); border: 1px solid var(--line);
  border-radius: 6px; padding: 7px 11px; font-size: 13px; line-height: 1.45; max-width: 430px; display: none;
  box-shadow: 0 3px 14px #0004; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; margin: 10px 0; font-size: 14px; }
th { text-align: left; font-weight: 600; font-size: 13px; color: var(--faint); border-bottom: 1px solid var(--line); }
th, td { padding: 4px 14px 4px 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); overflow-wrap: break-word; max-width: 260px; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.n { white-space: normal; } th { vertical-align: bottom; }
tr.chosen td { background: color-mix(in srgb, var(--tight) 22%, transparent); }
#reasons tbody tr { cursor: pointer; }
#reasons td:nth-child(1) { white-space: nowrap; }
#reasons td:nth-child(2) { min-width: 190px; }
#reasons td:nth-child(5) { max-width: none; font-size: 13px; line-height: 1.4; }
.named { display: flex; align-items: baseline; } .named span { min-width: 0; }
.swatch { flex: none; width: 10px; height: 10px; border-radius: 5px; margin-right: 7px; }
.columns { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 36px; }
.columns > div { min-width: 0; }
@media (max-width: 900px) { .columns { grid-template-columns: 1fr; } body { padding: 16px; } }
@media (max-width: 700px) {
  table { display: block; overflow-x: auto; } td { min-width: 70px; }
  #reasons thead { display: none; }
  #reasons tr { display: grid; grid-template-columns: auto 1fr auto auto; border-bottom: 1px solid var(--line); }
  #reasons td { border: none; max-width: none; min-width: 0; } #reasons td:nth-child(5) { grid-column: 1 / -1; }
  .card { min-width: 130px; padding: 8px 12px; } .card b { font-size: 18px; }
}
@media print { body { max-width: none; } }
)css";

/// The sections, empty.
inline constexpr std::string_view page_body = R"html(<body>
<noscript>This page draws its pictures with a script, which this browser does not run.</noscript>
<header id="head"></header>
<main>
<section id="memory"></section>
<section id="why"></section>
<section id="trade"></section>
<section id="costs"></section>
<section id="floor"></section>
</main>
<div class="tip" id="tip"></div>
)html";

}  // namespace repebble::inline v0::report::detail

#endif
