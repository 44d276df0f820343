"""Small leaks in JavaScript: name: (before, in each turn, the code that the report must print or None)."""

PROGRAM = """{before}
let turn = 0;
function step() {{
  const data = new Array(4000).fill(turn);
{inside}
}}
(function next() {{
  step();
  if (++turn < 500) setTimeout(next, 1);
}})();
"""
SPLICE = "if (kept.length > 100) kept.splice(0, kept.length - 100);"

CASES = {
    "array": ("const kept = [];", "kept.push(data);", SPLICE),
    "array of several lines": ("const kept = [];", "kept.push({\n  turn,\n  data,\n});", SPLICE),
    "returned": ("const kept = [];", "return kept.push(data);", SPLICE),
    "behind a condition": ("const kept = [];", "if (turn >= 0) kept.push(data); else kept.length = 0;", None),
    "below a condition": ("const kept = [];",
                          "if (turn >= 0)\n  kept.push(data);\nelse\n  kept.length = 0;", None),
    "in an arrow": ("const kept = [];", "[data].forEach((one) => kept.push(one));", None),
    "at the front": ("const kept = [];", "kept.unshift(data);", None),
    "by number": ("const kept = [];", "kept.push(data);\nif (kept[turn].length < 9) throw 1;", None),
    "built again": ("let kept = [];", "kept = [...kept, data];", SPLICE),
    "map": ("const kept = new Map();", "kept.set(turn, data);",
            "if (kept.size > 100) kept.delete(kept.keys().next().value);"),
    "set": ("const kept = new Set();", "kept.add(data);",
            "if (kept.size > 100) kept.delete(kept.values().next().value);"),
    "object": ("const kept = {};", "kept['k' + turn] = data;",
               "for (const key of Object.keys(kept).slice(0, -100)) delete kept[key];"),
    "field": ("class Log {\n  rows = [];\n  add(row) {\n    this.rows.push(row);\n  }\n}\n"
              "const log = new Log();",
              "log.add(data);", "if (this.rows.length > 100) this.rows.splice(0, this.rows.length - 100);"),
    "listener": ("const bus = new (require('events'))();\nbus.setMaxListeners(0);",
                 "bus.on('end', () => data.length);", None),
}
