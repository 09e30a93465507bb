/** Puts the request editor into a page; it needs a script. */
import type { ReactNode } from 'react';

export function RequestEditor(): ReactNode {
  return (
    <div data-island="request-editor">
      <p className="needs-script">Loading the playground.</p>
      <noscript>
        <p>The playground needs JavaScript. Without it, you can still paste and run every sample on these pages.</p>
      </noscript>
    </div>
  );
}
