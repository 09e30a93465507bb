/** Puts the request editor and the URL builder into a page; both need a script. */
import type { ReactNode } from 'react';

/** Makes the component of an island: a place that a script fills, with what readers see until then or without it. */
const island = (name: string, subject: string, without: string) =>
  function Island(): ReactNode {
    return (
      <div data-island={name}>
        <p className="needs-script">{`Loading the ${subject}.`}</p>
        <noscript>
          <p>{`The ${subject} needs JavaScript. ${without}`}</p>
        </noscript>
      </div>
    );
  };

const samples = 'Without it, you can still paste and run every sample on these pages.';
export const RequestEditor = island('request-editor', 'playground', samples);
export const UrlBuilder = island('url-builder', 'URL builder', 'The tables below list the paths and the options.');
