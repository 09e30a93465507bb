// Finds references in comments and other text: to documents outside the repository, to files and headings that must
// exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf } from './doc-samples.ts';

const root = join(import.meta.dirname, '..', '..', '..');

interface Comment {
  /** 1-based. */
  line: number;
  text: string;
}

/** Comments on whole lines, and comments at the end of a line of code, also in JSX and CSS. */
const wholeLine = /^\s*(?:\{?(?:\/\/|\/\*+|\*)|#(?=\s))(.*)$/;
const lineEnd = /\s\/\/\s(.*)$|\/\*+(.*?)\*\//;

/** Joins adjacent whole-line comments into one, since a line break may split a reference. */
export function commentsOf(source: string): Comment[] {
  const comments: Comment[] = [];
  let last: (Comment & { end: number; isWhole: boolean }) | undefined;
  for (const [index, line] of source.split('\n').entries()) {
    const whole = wholeLine.exec(line)?.[1];
    const text = whole ?? lineEnd.exec(line)?.slice(1).find(Boolean);
    if (text === undefined) continue;
    if (last?.isWhole && whole !== undefined && last.end === index - 1) {
      last.text += ` ${text.trim()}`;
      last.end = index;
    } else {
      last = { line: index + 1, text: text.trim(), end: index, isWhole: whole !== undefined };
      comments.push(last);
    }
  }
  return comments;
}

const outside = [
  // A document by its name and a number: "contract 5.1", "design D8", "specification section 4", "Contract A.1".
  /\b(?:contract|design|spec|specification|evidence|decision|feasibility)(?:['’]s)?,?:?\s+(?:sections?\s+)?(?:§\s*)?[A-Z]?\.?\d[\w.]*/gi,
  /\b(?:contract|spec|specification|evidence)(?:['’]s)?(?=\s+(?:appendix|section|order|row|line|example)|:|\s*\()/gi,
  /\b(?:the|of the)\s+contract\b/gi,
  /\bappendix\b/gi,
  /\bdemand-and-failures\b/gi,
  /\b(?:browserql|service|docs-site|house|style|feasibility|attacks)\.md\b/gi,
  // A section number without a document, or of a document that is not a public standard.
  /(?<!\b(?:RFC \d{3,5}|JSON-RPC 2\.0|ECMA-\d+|ISO \d+(?:-\d+)?),? )\bsections?\s+[A-Z]?\.?\d[\w.]*/g,
];

/** The citations of a text that readers cannot look up in this repository. */
export function outsideReferences(text: string): string[] {
  return outside.flatMap((pattern) => [...text.matchAll(pattern)].map(([found]) => found));
}

/** Paths of files and folders from the repository's root, with stars as wildcards. */
const paths = /(?<![\w./-])(?:src|test|docs-content|public|\.github)\/[\w./*-]*[\w*]/g;
const headings = /(?<![\w-])(?:([\w./-]+)\/)?([\w-]+\.mdx)(?:#([\w-]+))?/g;

/** The references of a text whose target does not exist: a path of the repository, a page, a heading of a page. */
export function brokenReferences(text: string): string[] {
  const files = [...text.matchAll(paths)].map(([path]) => path).filter((path) => !exists(path));
  const pages = [...text.matchAll(headings)].filter(([, , name = '', anchor]) => {
    const found = globSync(`docs-content/**/${name}`, { cwd: root });
    if (anchor === undefined) return found.length === 0;
    return !found.some((file) => anchorsOf(readFileSync(join(root, file), 'utf8')).includes(anchor));
  });
  return [...new Set([...files, ...pages.map(([reference]) => reference)])];
}

function exists(path: string): boolean {
  return path.includes('*') ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
}
