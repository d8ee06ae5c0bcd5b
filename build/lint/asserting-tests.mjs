/**
 * ESLint rule: each test must assert something. Otherwise, a test that only runs to its end would pass even if the
 * tested code did nothing. These calls count as assertions: `expect…`, waiting for a condition (`waitFor`, `until`),
 * and checking a property (`fc.assert`).
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

/**
 * Returns whether a call declares a test with a title: `it(…)`, `test(…)`, `it.each(…)(…)`, `it.skipIf(…)(…)`, ….
 *
 * @param {Parameters<NonNullable<import('eslint').Rule.RuleListener['CallExpression']>>[0]} call
 */
function isTest({ callee, arguments: [title] }) {
  if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') return false;
  /** @type {typeof callee} */
  let root = callee;
  while (root.type === 'MemberExpression' || root.type === 'CallExpression') {
    root = root.type === 'MemberExpression' ? root.object : root.callee;
  }
  return root.type === 'Identifier' && (root.name === 'it' || root.name === 'test');
}
