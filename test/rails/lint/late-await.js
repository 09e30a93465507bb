// Defines an oxlint rule: a promise must have a handler before the function waits for something else. In
// `const x = send(); await y; await x`, nothing handles a rejection of `x` while the function waits for `y`, nor after
// `y` has thrown: the rejection is unhandled. Await both together (`Promise.all`), send after the wait, or mark the
// promise as handled where it is made: `x.catch(() => {})`. Plain JavaScript, since oxlint loads the file.

const combinators = new Set(['all', 'allSettled', 'any', 'race']);
const chained = new Set(['then', 'catch', 'finally']);
/** Functions and methods that accept a promise, each with the position of that argument. */
const takers = new Map([
  ['for', 1],
  ['limited', 0],
  ['orAborted', 0],
  ['orReleased', 0],
  ['until', 0],
]);
const wrappers = new Set(['ChainExpression', 'ParenthesizedExpression', 'TSAsExpression', 'TSNonNullExpression']);

const isFunction = (node) =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression', 'StaticBlock', 'Program'].includes(
    node?.type,
  );

function functionOf(node) {
  let at = node.parent;
  while (at && !isFunction(at)) at = at.parent;
  return at;
}

function bare(node) {
  return wrappers.has(node?.type) ? bare(node.expression) : node;
}

function outside(node) {
  return wrappers.has(node.parent?.type) ? outside(node.parent) : node;
}

const nameOf = (callee) => {
  const node = bare(callee);
  return node?.type === 'MemberExpression' ? node.property.name : node?.name;
};

/** Whether this expression creates something that may be a promise, without waiting for it. */
function mayPend(expression) {
  const node = bare(expression);
  switch (node?.type) {
    case 'CallExpression':
    case 'ImportExpression':
      return true;
    case 'NewExpression':
      // A promise whose executor has no `reject` parameter does not reject.
      return node.callee.name !== 'Promise' || node.arguments[0]?.params?.length !== 1;
    case 'ConditionalExpression':
      return mayPend(node.consequent) || mayPend(node.alternate);
    case 'LogicalExpression':
      return mayPend(node.left) || mayPend(node.right);
    case 'ArrayExpression':
      return node.elements.some(mayPend);
    default:
      return false;
  }
}

/** The names that a declaration introduces: `x`, `{ x, y: z }`, `[x]`. */
function namesOf(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap(({ value, argument }) => namesOf(value ?? argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesOf);
    case 'AssignmentPattern':
      return namesOf(pattern.left);
    default:
      return [];
  }
}

/** Whether the code uses this reference as a promise, or as a list of promises. */
function usesPromise(reference) {
  const node = outside(reference);
  const { parent } = node;
  switch (parent?.type) {
    case 'AwaitExpression':
      return true;
    case 'ArrayExpression':
    case 'SpreadElement':
      return usesPromise(parent);
    case 'ConditionalExpression':
    case 'LogicalExpression':
      return parent.test !== node && usesPromise(parent);
    case 'MemberExpression':
      if (parent.object !== node || parent.computed) return false;
      if (parent.parent?.type === 'CallExpression' && parent.parent.callee === parent) {
        return chained.has(parent.property.name);
      }
      // `await opened.ready`: an object that contains a promise.
      return usesPromise(parent);
    case 'CallExpression': {
      if (parent.callee === node) return false;
      const callee = bare(parent.callee);
      if (parent.arguments[takers.get(nameOf(callee))] === node) return true;
      return callee?.type === 'MemberExpression' && callee.object.name === 'Promise' && combinators.has(nameOf(callee));
    }
    default:
      return false;
  }
}

export const lateAwait = {
  meta: {
    messages: {
      late: 'The function waits for something else before this promise has a handler, so a rejection would be unhandled. Await both at the same time, or call `.catch(() => {})` where it is made.',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const made = [];
    /** The ranges of the awaits of each function, in source order. */
    const waits = new Map();
    const addWait = (node, from = node) => {
      const inside = functionOf(node);
      waits.set(inside, [...(waits.get(inside) ?? []), from.range]);
    };

    /** Whether a promise of this name has no handler while its function waits for something else. */
    function isLate(declarator, name) {
      const { references = [] } = sourceCode.getScope(declarator).set.get(name) ?? {};
      const own = functionOf(declarator);
      const uses = references
        .map(({ identifier }) => identifier)
        .filter((use) => use.range[0] >= declarator.range[1] && functionOf(use) === own)
        .toSorted((one, other) => one.range[0] - other.range[0]);
      const [first] = uses;
      if (!first || !uses.some(usesPromise)) return false;
      const inList = /^(ArrayExpression|CallExpression)$/.test(outside(first).parent?.type ?? '') && usesPromise(first);
      return (waits.get(own) ?? []).some(
        ([start, end]) =>
          (start > declarator.range[1] && end <= first.range[0]) ||
          // `Promise.all([x, await y])` waits for y before it handles x.
          (inList && start >= first.range[1] && end <= outside(first).parent.range[1]),
      );
    }

    return {
      AwaitExpression: (node) => addWait(node),
      ForOfStatement: (node) => {
        if (node.await) addWait(node, node.right);
      },
      VariableDeclarator: (node) => {
        if (mayPend(node.init)) made.push(node);
      },
      'Program:exit': () => {
        for (const node of made) {
          if (namesOf(node.id).some((name) => isLate(node, name))) context.report({ node, messageId: 'late' });
        }
      },
    };
  },
};
