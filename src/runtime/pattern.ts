/** Regular expressions of strangers: run with a time limit, because some take longer than the universe is old. */
import vm from 'node:vm';

/** More than any honest pattern needs for one address, in milliseconds, also on a machine that is busy. */
const limitMs = 500;
/** With one repetition at most, matching takes the square of the length: nothing for an address of this many characters. */
const shortText = 4_096;

export interface LimitedPattern {
  /** Whether the pattern is found in the text. A pattern that once ran out of time is taken to match from then on. */
  test(text: string): boolean;
}

/** @throws SyntaxError when the source is no regular expression */
export function limitedPattern(source: string): LimitedPattern {
  const scope: { pattern: RegExp; text: string } = { pattern: new RegExp(source), text: '' };
  const harmless = (source.match(/[*+]|\{\d+,\}/g)?.length ?? 0) <= 1;
  let context: vm.Context | undefined;
  let spent = false;
  return {
    test(text) {
      if (spent) return true;
      if (harmless && text.length <= shortText) return scope.pattern.test(text);
      context ??= vm.createContext(scope);
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
