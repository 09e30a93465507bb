/** Puts the request editor and the URL builder into a page; both need a script. */
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

export function UrlBuilder(): ReactNode {
  return (
    <div data-island="url-builder">
      <p className="needs-script">Loading the URL builder.</p>
      <noscript>
        <p>The URL builder needs JavaScript. The tables below list the paths and the options.</p>
      </noscript>
    </div>
  );
}
