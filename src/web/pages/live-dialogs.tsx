/** Dialogs of the live view page, and the templates that its script clones. */
import type { ReactNode } from 'react';
import { Icon } from '../theme/icons.tsx';

/** A dialog of the watched page. */
export const PageDialog = (): ReactNode => (
  <dialog id="dialog" aria-labelledby="dialog-title" aria-describedby="dialog-message">
    <form id="dialog-form">
      <h2 id="dialog-title">The page says</h2>
      <p id="dialog-message" />
      <input id="dialog-text" aria-label="Your answer" autoComplete="off" />
      <div className="acts">
        <button type="button" id="dialog-cancel">
          Cancel
        </button>
        <button id="dialog-ok" className="primary">
          OK
        </button>
      </div>
    </form>
  </dialog>
);

/** Asks why the person cannot do the task. */
export const Refusal = (): ReactNode => (
  <dialog id="cannot" aria-labelledby="cannot-title">
    <form id="cannot-form">
      <h2 id="cannot-title">Tell the script that you can’t do this?</h2>
      <label htmlFor="cannot-note">What is the problem? (optional)</label>
      <textarea id="cannot-note" rows={3} />
      <div className="acts">
        <button type="button" id="cannot-cancel">
          Cancel
        </button>
        <button className="primary">Send</button>
      </div>
    </form>
  </dialog>
);

export const Templates = (): ReactNode => (
  <>
    <template id="tab">
      <li>
        <button type="button" className="bare tab">
          <Icon name="globe" small />
          <span />
        </button>
        <button type="button" className="icon small" aria-label="Close">
          <Icon name="close" small />
        </button>
      </li>
    </template>
    <template id="note">
      <div className="float note">
        <button type="button" className="icon small" aria-label="Close">
          <Icon name="close" small />
        </button>
        <b />
        <p />
        <div className="acts" />
      </div>
    </template>
    <template id="picker">
      <form className="float picker">
        <input aria-label="Value" />
        <button className="small primary">Set</button>
      </form>
    </template>
    <template id="download">
      <li>
        <b />
        <a className="button small" href="#download">
          Save
        </a>
      </li>
    </template>
  </>
);
