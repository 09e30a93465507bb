/**
 * Reads the documents and changes of a replay before they are rebuilt: collects the names of clickable elements, and
 * removes attributes that make a browser connect even though the policy forbids all requests.
 */
import { isRecord } from '../replay/messages.ts';

/** Holds the name that labels a click on an element. */
interface Named {
  text: string;
}

const clickable = /^(?:a|button|label|summary|option|select|textarea|input)$/;
const nameCharacters = 60;

/** Attributes with side effects: policies do not stop `preconnect` and `dns-prefetch`, not even in `srcdoc`. */
const unsafeAttributes = ['rel', 'http-equiv', 'ping', 'srcdoc'];
/**
 * Elements that load a separate document; a recording has that document's content as a child of the element instead.
 */
const embeddingTags = /^(?:iframe|frame|fencedframe|object|embed|portal)$/i;
const addresses = ['src', 'data', 'rr_src', 'code', 'codebase'];

export class DocumentReader {
  /** The clickable element around each node of the last document. */
  readonly #names = new Map<number, Named>();

  /** Returns the name of the clicked element; empty when it has none. */
  nameOf(id: unknown): string {
    return (typeof id === 'number' && this.#names.get(id)?.text.trim()) || '';
  }

  /** Reads the data of an event of type 2, a whole document. */
  document(data: Record<string, unknown>): void {
    this.#names.clear();
    this.#walk(data['node'], undefined);
  }

  /** Reads the data of an event of type 3 and source 0: added nodes and attributes. */
  change(data: Record<string, unknown>): void {
    for (const added of listOf(data['adds'])) {
      const { node, parentId } = added;
      this.#walk(node, typeof parentId === 'number' ? this.#names.get(parentId) : undefined);
    }
    for (const { attributes } of listOf(data['attributes'])) {
      if (!isRecord(attributes)) continue;
      for (const name of unsafeAttributes) delete attributes[name];
      // Image data may stay, because an image element can only draw it.
      for (const name of addresses) if (isDocument(attributes[name])) delete attributes[name];
    }
  }

  /** Uses a list instead of recursion, because a document may be nested deeper than the stack allows. */
  #walk(root: unknown, holder: Named | undefined): void {
    const left: [node: unknown, holder: Named | undefined][] = [[root, holder]];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [node, outer] = next;
      if (!isRecord(node)) continue;
      const { id, tagName, attributes, childNodes, textContent } = node;
      let inner = outer;
      if (typeof tagName === 'string') {
        const own = isRecord(attributes) ? attributes : {};
        removeUnsafe(tagName, own);
        if (clickable.test(tagName) || typeof own['role'] === 'string') inner = { text: labelOf(own) };
      } else if (inner && typeof textContent === 'string' && inner.text.length < nameCharacters) {
        inner.text = `${inner.text} ${textContent.trim()}`.trim().slice(0, nameCharacters);
      }
      if (inner && typeof id === 'number') this.#names.set(id, inner);
      if (!Array.isArray(childNodes)) continue;
      for (const child of childNodes.toReversed()) left.push([child, inner]);
    }
  }
}

function labelOf(attributes: Record<string, unknown>): string {
  for (const name of ['aria-label', 'placeholder', 'title', 'name']) {
    const value = attributes[name];
    if (typeof value === 'string' && value !== '') return value.slice(0, nameCharacters);
  }
  return '';
}

function removeUnsafe(tagName: string, attributes: Record<string, unknown>): void {
  const rel = attributes['rel'];
  if (tagName === 'link' && typeof rel === 'string' && rel.trim().toLowerCase() !== 'stylesheet') {
    delete attributes['rel'];
    delete attributes['href'];
  }
  if (tagName === 'meta') delete attributes['http-equiv'];
  if (embeddingTags.test(tagName)) {
    // What an object shows is a picture if the recording has it. The library sets no attribute with this prefix.
    if (/^(?:object|embed)$/i.test(tagName)) attributes['rr_picture'] = attributes['data'] ?? attributes['src'];
    for (const name of addresses) delete attributes[name];
  }
  for (const name of ['ping', 'srcdoc']) delete attributes[name];
}

/** Whether the URL itself contains a document. */
function isDocument(address: unknown): boolean {
  return typeof address === 'string' && /^\s*data:(?!image\/|font\/)/i.test(address);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
