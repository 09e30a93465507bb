/** Limits the size of a response while it is built: aliases and lists can multiply what a short document requests. */
import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { graphqlLimits } from '../../../base/limits.ts';

export class AnswerBudget {
  #remaining: number = graphqlLimits.answerCharacters;

  /** True once the response would be larger than allowed. */
  get spent(): boolean {
    return this.#remaining < 0;
  }

  /** @param characters number of characters added to the response */
  take(characters: number): void {
    this.#remaining -= characters;
  }
}

/**
 * Approximate size of a value in characters.
 * @param isLeaf true if it is sent as is, false if the document selects from it
 */
export function sizeOf(value: unknown, isLeaf: boolean): number {
  if (typeof value === 'string') return value.length;
  if (!isLeaf || typeof value !== 'object' || value === null) return 0;
  return JSON.stringify(value).length;
}

/** Characters that a selection adds to each object it selects from: its names, and at least its values. */
export function weightOf(
  { selections }: SelectionSetNode,
  fragments: Readonly<Record<string, FragmentDefinitionNode>>,
): number {
  let weight = 0;
  for (const node of selections) {
    const set = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value]?.selectionSet : node.selectionSet;
    if (node.kind === Kind.FIELD) weight += (node.alias ?? node.name).value.length + graphqlLimits.valueCharacters;
    if (set) weight += weightOf(set, fragments);
  }
  return weight;
}
