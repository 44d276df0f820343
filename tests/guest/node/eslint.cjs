// Finds and mends what is wrong in a text.
const { ESLint } = require('eslint');
(async () => {
  const rules = {
    'no-unused-vars': 2,
    'prefer-const': 2,
    eqeqeq: 1,
    'no-undef': 2,
    semi: 2,
    'no-unreachable': 2,
  };
  const eslint = new ESLint({ overrideConfigFile: true, overrideConfig: [{ rules }], fix: true });
  const text = Array.from({ length: 40 },
    (_, i) => `let a${i} = 1\nfunction f${i}(x) { return x == a${i}; y(); }\nvar unused${i};\n`).join('');
  for (const result of await eslint.lintText(text, { filePath: 'text.js' })) {
    for (const m of result.messages) console.log(m.line, m.column, m.severity, m.ruleId, m.message);
    console.log(result.output.length, result.output.slice(0, 100));
  }
})();
