/** Regular expressions of strangers: run with a time limit, because some take longer than the universe is old. */
import vm from 'node:vm';

/** More than any honest pattern needs for one address, in milliseconds. */
const limitMs = 50;

export interface LimitedPattern {
  /** Whether the pattern is found in the text. A pattern that once ran out of time is taken to match from then on. */
  test(text: string): boolean;
}

/** @throws SyntaxError when the source is no regular expression */
export function limitedPattern(source: string): LimitedPattern {
  const scope: { pattern: RegExp; text: string } = { pattern: new RegExp(source), text: '' };
  const context = vm.createContext(scope);
  let spent = false;
  return {
    test(text) {
      if (spent) return true;
      scope.text = text;
      try {
        return testScript().runInContext(context, { timeout: limitMs }) === true;
      } catch {
        spent = true;
        return true;
      }
    },
  };
}

let script: vm.Script | undefined;

function testScript(): vm.Script {
  script ??= new vm.Script('pattern.test(text)');
  return script;
}
