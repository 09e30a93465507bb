/** Puts the credential into the samples of a Markdown file, for a server that asks for one. */
import { readSample } from './credential.ts';
import { textWith } from './insertions.ts';

/** @param markdown as the build wrote it, with samples for a server that asks for no token */
export const withCredentials = (markdown: string): string =>
  markdown.replace(/^```(\w+)\n([^]*?)^```$/gm, (_, language: string, code: string) => {
    const text = textWith(readSample(code.replace(/\n$/, ''), language), 'header');
    return `\`\`\`${language}\n${text}\n\`\`\``;
  });
