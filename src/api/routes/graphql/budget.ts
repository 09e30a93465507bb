/** Bounds the answer of a document while it is made: aliases and lists can multiply what a short document asks for. */
import { type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';
import { graphqlLimits } from '../../../base/limits.ts';

export class AnswerBudget {
  #left: number = graphqlLimits.answerCharacters;

  /** True once more was asked for than an answer may hold. */
  get spent(): boolean {
    return this.#left < 0;
  }

  /** @param characters that the answer gets */
  take(characters: number): void {
    this.#left -= characters;
  }
}

/** Characters of a value, about. @param isLeaf true when it is sent as it is, false when the document selects from it */
export function sizeOf(value: unknown, isLeaf: boolean): number {
  if (typeof value === 'string') return value.length;
  if (!isLeaf || typeof value !== 'object' || value === null) return 0;
  return JSON.stringify(value).length;
}

/** Characters that the names of a selection add to each object which it selects from, and its values at least. */
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
