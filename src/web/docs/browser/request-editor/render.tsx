/** Renders a part of the request editor in an element of the page. */
import type { ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { Boundary } from '../run/boundary.tsx';
import styles from './request-editor.css';

/** The styles of all forms, as a constructed style sheet, which the Content-Security-Policy allows. */
const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);
document.adoptedStyleSheets.push(sheet);

const roots = new WeakMap<Element, Root>();

/** Renders a part, in place of what the element shows. Call the returned function when the element is removed. */
export function render(host: HTMLElement, part: ReactNode): () => void {
  const root = roots.get(host) ?? createRoot(host);
  roots.set(host, root);
  root.render(<Boundary>{part}</Boundary>);
  return () => {
    roots.delete(host);
    root.unmount();
  };
}
