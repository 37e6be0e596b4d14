"use strict";
// The search: the index (index.js, made by build.py) is loaded when somebody types. An entry is [kind, name, address, words].
(() => {
  const up = document.body.dataset.up, field = document.querySelector("input[type=search]");
  const hits = document.getElementById("hits"), found = document.getElementById("found");
  let loading = null, at = -1;

  const load = () => loading ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${up}/index.js`;
    script.onload = () => done(INDEX.map((entry) => [...entry, entry[1].toLowerCase(), entry[3].toLowerCase()]));
    document.head.append(script);
  });

  const last = (name) => name.split(/::|\.(?!hpp)|\/| (?=--)/).pop();
  const weights = { "function": 12, "class": 10, "struct": 10, "concept": 9, "enum": 8, "alias": 7, "constant": 7, "word": 6,
    "option": 6, "header": 4, "page": 3, "member": -30, "enumerator": -30 };

  // How well an entry answers a word: a name as it is, its begin, a part of it, a heading, a word of the text; or nothing.
  const worth = ([kind, , , , name, words], word) => {
    if (name === word || last(name) === word || last(name) === `${word}.hpp`) return 100;
    const begins = new RegExp(`(^|[^\\w])${word.replace(/[^\w]/g, "\\$&")}`);
    if (kind === "page" && begins.test(name)) return name.includes("›") ? 52 : 72;
    if (last(name).startsWith(word)) return 55;
    if (name.includes(word)) return 30;
    const place = words.search(begins);
    return place >= 0 ? 14 - Math.min(6, place / 200) : words.includes(word) ? 4 : 0;
  };

  const search = (index, query) => {
    const words = query.toLowerCase().replace(/^repebble(::|\.)|\(.*\)$/g, "").split(/[\s,]+/).filter(Boolean);
    const scored = [];
    for (const entry of words.length ? index : []) {
      const each = words.map((word) => worth(entry, word));
      const phrase = words.length > 1 && [" ", "_"].some((by) => entry[4].includes(words.join(by))) ? 60 : 0;
      if (!phrase && each.some((w) => w === 0)) continue;
      const depth = entry[1].split(/::|\.(?!hpp)/).length;
      const inside = depth - (/::(io|views|report)::|torch|jax/.test(entry[1]) ? 1 : 0) > 2 ? 25 : 0;  // a member's
      const place = /\/detail\//.test(entry[2]) ? -40 : /tutorials/.test(entry[2]) ? 6 : /^benchmarks/.test(entry[2]) ? -12 : 0;
      const sum = each.reduce((a, b) => a + b) / words.length + weights[entry[0].split(" ").pop()] - depth - inside;
      scored.push([sum + place + phrase, entry]);
    }
    return scored.sort((a, b) => b[0] - a[0] || a[1][1].length - b[1][1].length).map(([, entry]) => [entry, words]);
  };

  const marked = (text, words) => {
    const parts = text.split(new RegExp(`(${words.map((w) => w.replace(/[^\w]/g, "\\$&")).join("|")})`, "i"));
    return parts.map((part, k) => {
      const node = document.createElement(k % 2 ? "mark" : "span");
      node.textContent = part;
      return k % 2 ? node : part;
    });
  };

  const row = ([[kind, name, address, text], words]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    const parts = ["b", "i", "span"].map((tag) => document.createElement(tag));
    const place = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
    const begin = kind === "page" && place > 0 ? `… ${text.slice(place)}` : text;
    parts[0].append(...marked(name, words));
    parts[1].textContent = ` ${kind}`;
    parts[2].append(...marked(begin.length > 180 ? `${begin.slice(0, 180)} …` : begin, words));
    link.href = `${up}/${address}`;
    link.append(...parts);
    item.append(link);
    return item;
  };

  const show = async (list, query, most) => {
    const all = search(await load(), query);
    list.replaceChildren(...all.slice(0, most).map(row));
    at = -1;
    if (!all.length && query) list.append("Nothing has these words.");
    list.hidden = !query;
    list.dataset.query = query;
  };

  field.addEventListener("focus", load);
  field.addEventListener("input", () => show(hits, field.value.trim(), 12));
  field.addEventListener("keydown", (event) => {
    const links = [...hits.querySelectorAll("a")];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      at = Math.max(-1, Math.min(links.length - 1, at + (event.key === "ArrowDown" ? 1 : -1)));
      links.forEach((link, k) => link.classList.toggle("at", k === at));
      links[at]?.scrollIntoView({ block: "nearest" });
      event.preventDefault();
    } else if (event.key === "Enter" && at >= 0) {
      links[at].click();
      event.preventDefault();
    } else if (event.key === "Escape") {
      hits.hidden = true;
    }
  });
  document.addEventListener("click", (event) => { if (!hits.contains(event.target)) hits.hidden = true; });
  hits.addEventListener("click", () => { hits.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    }
  });
  if (found) {
    field.value = new URLSearchParams(location.search).get("q") ?? "";
    show(found, field.value.trim(), 60);
  }
})();
