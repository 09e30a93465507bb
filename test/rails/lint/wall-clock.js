// Defines an oxlint rule: the wall clock (`Date.now()`, `new Date()`) is for timestamps, not durations. It jumps when
// the system corrects it or an operator sets it; durations and limits are computed with `now` of
// src/base/runtime/machine.ts. The rule accepts a moment that is stored under a name in `moments` or passed to a
// function in `calendar`; code that compares with dates from elsewhere (files, keys, other machines) is exempt in
// .oxlintrc.json, with the reason. Plain JavaScript, since oxlint loads the file.

/** Properties and variables that hold a moment which is shown or stored, and never computed with. */
const moments = new Set(['atMs', 'date', 'endedOn', 'expiresAt', 'since', 'startedOn', 'timestamp']);
/** Functions that accept a moment: calendar functions, names with a date, events of a recording. */
const calendar = new Set([
  'add',
  'curvesOf',
  'makeRecordingId',
  'millisToHrTime',
  'monthEnd',
  'monthOf',
  'put',
  'report',
]);
/** Methods that write a date. */
const written = new Set(['toISOString']);

const nameOf = (node) => (node?.type === 'MemberExpression' ? node.property.name : node?.name);

/** Whether the code only stores or shows this moment. */
function isShown(node) {
  const { parent } = node;
  switch (parent.type) {
    case 'Property':
    case 'PropertyDefinition':
      return parent.value === node && moments.has(parent.key.name);
    case 'VariableDeclarator':
      return parent.id.name === 'startedOn';
    case 'AssignmentExpression':
      return parent.operator === '=' && moments.has(nameOf(parent.left));
    case 'LogicalExpression':
      return parent.operator === '??' && isShown(parent);
    case 'BinaryExpression':
      // The end of a limit, which is only shown: a timer or `now` enforces it.
      return parent.operator === '+' && isShown(parent);
    case 'TemplateLiteral':
      return true;
    case 'CallExpression':
      return parent.arguments.includes(node) && calendar.has(nameOf(parent.callee)?.replace(/^#/, ''));
    case 'MemberExpression':
      return written.has(parent.property.name);
    case 'AssignmentPattern':
      return moments.has(nameOf(parent.left));
    default:
      return false;
  }
}

export const wallClock = {
  meta: {
    messages: {
      jumps: 'The wall clock jumps: measure time with `now` of src/base/runtime/machine.ts.',
    },
  },
  create(context) {
    const check = (node) => {
      if (!isShown(node)) context.report({ node, messageId: 'jumps' });
    };
    return {
      MemberExpression: (node) => {
        if (node.object.name !== 'Date' || node.property.name !== 'now') return;
        // `Date.now` passed on as a function is a clock that some code reads.
        const { parent } = node;
        check(parent.type === 'CallExpression' && parent.callee === node ? parent : node);
      },
      NewExpression: (node) => {
        if (node.callee.name === 'Date' && node.arguments.length === 0) check(node);
      },
    };
  },
};
