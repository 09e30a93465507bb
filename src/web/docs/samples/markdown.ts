/** Adds the credential to the samples of a Markdown file, for a server that requires one. */
import { readSample } from './credential.ts';
import { textWith } from './insertions.ts';

/** @param markdown output of the build, with samples for a server without a token */
export const withCredentials = (markdown: string): string =>
  markdown.replace(/^```(\w+)\n([^]*?)^```$/gm, (_, language: string, code: string) => {
    const text = textWith(readSample(code.replace(/\n$/, ''), language), 'header');
    return `\`\`\`${language}\n${text}\n\`\`\``;
  });
