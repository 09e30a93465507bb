/** Menu, confirmation dialog and templates of the dashboard, which its script fills and clones. */
import type { ReactNode } from 'react';
import { Icon } from '../theme/icons.tsx';

/** The actions on a session. On phones, it also has the links to the session. */
export const Menu = (): ReactNode => (
  <div id="menu" className="float menu" popover="auto" role="region" aria-label="Session">
    <form id="menu-watch" method="post" target="_blank" rel="noopener" className="small-only">
      <button>
        <Icon name="eye" small />
        Watch
      </button>
    </form>
    <form id="menu-act" method="post" target="_blank" rel="noopener" className="small-only">
      <button>
        <Icon name="person" small />
        Take over
      </button>
    </form>
    <button type="button" id="menu-record">
      <Icon name="record" small />
      <span>Record</span>
    </button>
    <button type="button" id="menu-kill" className="bad">
      <Icon name="close" small />
      Kill
    </button>
  </div>
);

export const Question = (): ReactNode => (
  <dialog id="question" aria-labelledby="question-title" aria-describedby="question-text">
    <form method="dialog">
      <h2 id="question-title">Are you sure?</h2>
      <p id="question-text" />
      <div className="acts">
        <button value="no">Cancel</button>
        <button id="question-yes" value="yes" className="danger">
          Kill
        </button>
      </div>
    </form>
  </dialog>
);

export const DashboardTemplates = (): ReactNode => (
  <>
    <template id="session">
      <li className="session">
        <div className="thumb">
          <div className="none">
            <Icon name="globe" />
            <span />
          </div>
          <img alt="" width="320" height="180" hidden />
          <span className="rec" hidden>
            <i className="dot" />
            <span>REC</span>
          </span>
        </div>
        <div className="over">
          <form method="post" target="_blank" rel="noopener" className="watch">
            <button className="small">
              <Icon name="eye" small />
              Watch
            </button>
          </form>
          <form method="post" target="_blank" rel="noopener" className="act">
            <button className="small">
              <Icon name="person" small />
              Take over
            </button>
          </form>
          <button type="button" className="small more" aria-label="More">
            <Icon name="more" small />
          </button>
        </div>
        <div className="info">
          <b />
          <p>
            <code />
            <span className="age num" />
            <span className="viewers num" hidden>
              <Icon name="eye" small />
              <span />
              <span className="hidden" />
            </span>
          </p>
          <p className="tracking" hidden />
        </div>
      </li>
    </template>
    <template id="queued">
      <li>
        <span className="place num" />
        <span className="call">
          <code />
          <span />
        </span>
        <span className="wait num" />
      </li>
    </template>
    <template id="recording">
      <tr>
        <td>
          <span className="title">
            <Icon name="film" />
            <Icon name="steps" />
            <b />
          </span>
        </td>
        <td className="wide">
          <span className="kind" />
          <span className="badge warn" hidden>
            cut short
          </span>
        </td>
        <td className="length">0:00</td>
        <td className="wide size">0 B</td>
        <td className="ended">now</td>
        <td className="acts">
          <form method="post" target="_blank" rel="noopener">
            <button className="icon" aria-label="Play">
              <Icon name="play" small />
            </button>
          </form>
          <a className="button icon" download="" href="#download" aria-label="Download">
            <Icon name="save" small />
          </a>
          <button type="button" className="icon delete" aria-label="Delete">
            <Icon name="trash" small />
          </button>
        </td>
      </tr>
    </template>
  </>
);
