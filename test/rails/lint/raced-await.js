// Defines an oxlint rule: code that serves a call races every `await` with the call's signal. What a call waits for may
// never arrive (from a browser that hangs, or a site that never responds); only a race then frees the call's slot. The
// rule examines the awaited expression and accepts it when it is a race itself, when its function or its receiver is
// given something that ends with the call, or when it cannot hang. Plain JavaScript, since oxlint loads the file.

/** Functions of src/base/runtime/deadline.ts that race, or that end within a turn of the event loop. */
const races = new Set(['orAborted', 'orReleased', 'pause', 'nextTurn', 'turnBefore']);

/**
 * Names of values that end with the call: a function that accepts one as an argument, or a method of one, also ends
 * with the call. A job and a request for a browser contain the call; `gone` is the signal of a browser.
 */
const bounds = new Set(['signal', 'clock', 'call', 'job', 'request', 'page', 'tab', 'deadline', 'opening', 'gone']);

/** Functions that end on their own, with the reason. */
const cannotHang = {
  accountOf: 'arithmetic',
  admit: 'reads the load of the machine',
  'directory.remove': 'local disk',
  'downloadDirectories.create': 'local disk',
  'file.head': 'local disk',
  fileTypeFromBuffer: 'arithmetic',
  'history.periods': 'local disk',
  timedOutDocument: 'arithmetic',
  loadLanguage: 'a module of ours',
  'monitor.current': 'reads the load of the machine',
  openFile: 'local disk',
  pagesOf: 'has its own limit',
  protocolDescriptor: 'a file of a package',
  readDocument: 'arithmetic',
  readJsonBody: 'ends with the connection, whose requests have a time limit',
  readTextBody: 'ends with the connection, whose requests have a time limit',
  'space.remove': 'local disk',
  storageProblem: 'local disk',
  'upgrade.accept': 'writes one response',
};

const listMethods = new Map([
  ['all', 'every'],
  ['allSettled', 'every'],
  ['race', 'some'],
]);
const chained = new Set(['then', 'catch', 'finally']);

/** The expression without wrappers that do not change its value: `(x)`, `x as T`, `x?.y`. */
function bare(node) {
  switch (node?.type) {
    case 'ChainExpression':
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
      return bare(node.expression);
    default:
      return node;
  }
}

/** The last name of `a.b.c`, `this.#c`, `c`. */
function nameOf(node) {
  const inner = bare(node);
  if (inner?.type === 'Identifier') return inner.name;
  return inner?.type === 'MemberExpression' && !inner.computed ? inner.property.name : undefined;
}

/** `b` of `a.b.c()`, `this` of `this.#c()`; undefined for `c()`. */
function receiverOf({ callee }) {
  const inner = bare(callee);
  return inner?.type === 'MemberExpression' ? bare(inner.object) : undefined;
}

/** Whether a node is named in `bounds`, or is an object literal with such a property or value. */
function isBound(node) {
  const inner = bare(node);
  if (inner?.type === 'SpreadElement') return isBound(inner.argument);
  if (inner?.type !== 'ObjectExpression') return bounds.has(nameOf(inner));
  return inner.properties.some((property) =>
    property.type === 'Property'
      ? !property.computed && (bounds.has(property.key.name) || isBound(property.value))
      : isBound(property),
  );
}

const isFunction = (node) =>
  ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node?.type);

/** Examines the awaits of one file. */
class Reader {
  #code;
  /** Functions under examination, so that a recursive call is not examined again. */
  #open = new Set();

  constructor(sourceCode) {
    this.#code = sourceCode;
  }

  /** Whether an await of this expression ends with the call. */
  isBounded(expression) {
    const node = bare(expression);
    switch (node?.type) {
      case 'ConditionalExpression':
        return this.isBounded(node.consequent) && this.isBounded(node.alternate);
      case 'LogicalExpression':
        return this.isBounded(node.right) && (node.operator === '&&' || this.isBounded(node.left));
      case 'Identifier':
        return node.name === 'undefined' || this.isBounded(this.#definition(node));
      case 'CallExpression':
        return this.#isBoundedCall(node);
      case 'ImportExpression':
        // A module that the code names is a file on the local disk.
        return bare(node.source)?.type === 'Literal';
      default:
        // These are values, not pending promises.
        return ['AwaitExpression', 'Literal', 'ObjectExpression', 'TemplateLiteral'].includes(node?.type);
    }
  }

  #isBoundedCall(node) {
    const name = nameOf(node.callee);
    const receiver = receiverOf(node);
    const fullName = receiver?.type === 'ThisExpression' || !nameOf(receiver) ? name : `${nameOf(receiver)}.${name}`;
    // It settles as the promise in its argument does.
    if (fullName === 'waiting.for') return this.isBounded(node.arguments[1]);
    // These settle as the function in their argument does.
    if (fullName === 'tracing.span') return this.#isBoundedFunction(bare(node.arguments[2]));
    if (fullName === 'span.within') return this.#isBoundedFunction(bare(node.arguments[0]));
    if (races.has(fullName) || Object.hasOwn(cannotHang, fullName) || node.arguments.some(isBound)) return true;
    if (receiver === undefined) return this.#isBoundedFunction(this.#definition(bare(node.callee)));
    if (receiver.type === 'ThisExpression') return this.#isBoundedFunction(this.#method(bare(node.callee)));
    if (nameOf(receiver) === 'Promise') {
      const quantifier = listMethods.get(name);
      return quantifier !== undefined && this.#isBoundedList(node.arguments[0], quantifier);
    }
    return isBound(receiver) || this.#wasHandedPage(receiver) || (chained.has(name) && this.isBounded(receiver));
  }

  /** Whether a list of promises is bounded: an array literal, or `list.map((item) => …)`. */
  #isBoundedList(expression, quantifier) {
    const list = bare(expression);
    if (list?.type === 'ArrayExpression') return list.elements[quantifier]((element) => this.isBounded(element));
    return (
      list?.type === 'CallExpression' && nameOf(list.callee) === 'map' && this.#isBoundedFunction(list.arguments[0])
    );
  }

  /**
   * A function of this file: the rule checks its awaits where they are written; this method checks its returned values.
   */
  #isBoundedFunction(node) {
    if (!isFunction(node) || this.#open.has(node)) return isFunction(node);
    if (node.body.type !== 'BlockStatement') return this.#isBoundedValue(node, node.body);
    this.#open.add(node);
    try {
      return this.#returnsOf(node.body).every(({ argument }) => this.#isBoundedValue(node, argument));
    } finally {
      this.#open.delete(node);
    }
  }

  /** An async function may return plain values; only a call expression may return a promise that is not awaited. */
  #isBoundedValue({ async }, value) {
    if (!async) return this.isBounded(value);
    const node = bare(value);
    if (node?.type === 'ConditionalExpression') {
      return this.#isBoundedValue({ async }, node.consequent) && this.#isBoundedValue({ async }, node.alternate);
    }
    // `map` returns an array immediately, regardless of its elements.
    return node?.type !== 'CallExpression' || nameOf(node.callee) === 'map' || this.isBounded(node);
  }

  #returnsOf(node) {
    if (node.type === 'ReturnStatement') return [node];
    return (this.#code.visitorKeys[node.type] ?? [])
      .flatMap((key) => node[key] ?? [])
      .filter((child) => !isFunction(child))
      .flatMap((child) => this.#returnsOf(child));
  }

  /** Whether the receiver was made with a page, and so ends with it: `const consent = await startConsent(page)`. */
  #wasHandedPage(receiver) {
    if (receiver.type !== 'Identifier') return false;
    const parts = [this.#definition(receiver)];
    for (const part of parts) {
      const node = bare(part);
      if (node?.type === 'AwaitExpression') parts.push(node.argument);
      if (node?.type === 'ConditionalExpression') parts.push(node.consequent, node.alternate);
      if (node?.type === 'CallExpression' && node.arguments.some((arg) => nameOf(arg) === 'page')) return true;
    }
    return false;
  }

  /** The function of this name, or the initial value of this constant; undefined for imported names. */
  #definition(identifier) {
    if (identifier?.type !== 'Identifier') return undefined;
    for (let scope = this.#code.getScope(identifier); scope; scope = scope.upper) {
      const [definition] = scope.set.get(identifier.name)?.defs ?? [];
      if (definition === undefined) continue;
      if (definition.type === 'FunctionName') return definition.node;
      const isConstant = definition.type === 'Variable' && definition.parent.kind === 'const';
      return isConstant && definition.node.id.type === 'Identifier' ? (definition.node.init ?? undefined) : undefined;
    }
    return undefined;
  }

  /** The method that `this.name()` calls. */
  #method(callee) {
    let node = callee;
    while (node && node.type !== 'ClassBody') node = node.parent;
    return node?.body.find(({ type, key }) => type === 'MethodDefinition' && key.name === callee.property.name)?.value;
  }
}

export const racedAwait = {
  meta: {
    messages: {
      unraced:
        'This await may hang forever: race it (`orAborted(…, signal)`), or pass the signal, clock, call or page to what it calls.',
    },
  },
  create(context) {
    const reader = new Reader(context.sourceCode);
    const check = (operand) => {
      if (!reader.isBounded(operand)) context.report({ node: operand, messageId: 'unraced' });
    };
    return {
      AwaitExpression: ({ argument }) => check(argument),
      ForOfStatement: ({ await: waits, right }) => {
        if (waits) check(right);
      },
    };
  },
};
