/**
 * ESLint rule: a test says what it expects. Calls that count: `expect…`, waiting for a condition (`waitFor`, `until`), and a
 * property (`fc.assert`). A test that only runs to its end would also pass if nothing had happened.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const assertingTests = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    return {
      CallExpression(call) {
        if (!isTest(call)) return;
        const body = call.arguments.find(
          ({ type }) => type === 'ArrowFunctionExpression' || type === 'FunctionExpression',
        );
        if (body === undefined || asserts.test(context.sourceCode.getText(body))) return;
        context.report({ node: call.callee, message: 'This test expects nothing: say what has to be so.' });
      },
    };
  },
};

const asserts = /\b(expect\w*|waitFor|until|fc\s*\.assert)\b[^\n]*\(/;

/** `it(…)`, `test(…)`, `it.each(…)(…)`, `it.skipIf(…)(…)`, …, with a title. @param {Parameters<NonNullable<import('eslint').Rule.RuleListener['CallExpression']>>[0]} call */
function isTest({ callee, arguments: [title] }) {
  if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') return false;
  /** @type {typeof callee} */
  let root = callee;
  while (root.type === 'MemberExpression' || root.type === 'CallExpression') {
    root = root.type === 'MemberExpression' ? root.object : root.callee;
  }
  return root.type === 'Identifier' && (root.name === 'it' || root.name === 'test');
}
