/** The dashboard page. Its script fills it with data from the server; until then, only the frame is visible. */
import type { ReactNode } from 'react';
import { Header } from '../theme/brand.tsx';
import { DashboardTemplates, Menu, Question } from './dashboard-parts.tsx';
import { type Assets, Document } from './document.tsx';
import { Icon } from '../theme/icons.tsx';
import { slot } from './serve/page-slots.ts';

const base = slot('dashboard', 'base');

const Bar = (): ReactNode => (
  <Header>
    <nav aria-label="Main">
      <a href={`${base}/dashboard`} className="nav-link" aria-current="page">
        Dashboard
      </a>
      <a href={`${base}/`} className="nav-link docs">
        Documentation
      </a>
    </nav>
  </Header>
);

const Head = (): ReactNode => (
  <div className="head">
    <h1>Dashboard</h1>
    <span id="state" className="badge" role="status">
      Connecting
    </span>
    <form method="post" action={`${base}/dashboard/sign-out`} className="sign-out">
      <button>Sign out</button>
    </form>
  </div>
);

const figures = [
  ['running', 'Running', ''],
  ['waiting', 'Waiting', 'warn'],
  ['cpu', 'CPU', ''],
  ['memory', 'Memory', ''],
] as const;

const Figures = (): ReactNode => (
  <section className="stats num" aria-label="Load over the last hour">
    {figures.map(([id, label, colour]) => (
      <div key={id} id={id} className={`stat ${colour}`.trim()}>
        <p>
          <span>{label}</span>
          <span className="badge warn" hidden />
        </p>
        <b>
          <span>–</span> <small />
        </b>
        <svg viewBox="0 0 200 40" preserveAspectRatio="none" aria-hidden="true">
          <path className="under" />
          <path className="limit" />
          <path className="curve" />
        </svg>
      </div>
    ))}
  </section>
);

const Sessions = (): ReactNode => (
  <section aria-labelledby="sessions-title">
    <div className="list-head">
      <h2 id="sessions-title" tabIndex={-1}>
        Sessions
      </h2>
      <span id="session-count" className="badge num" />
      <label className="field filter">
        <Icon name="search" small />
        <input
          id="filter"
          type="search"
          placeholder="Filter sessions"
          aria-label="Filter sessions"
          autoComplete="off"
        />
      </label>
    </div>
    <ul id="sessions" className="sessions" />
    <div id="no-sessions" className="empty" hidden>
      <Icon name="globe" />
      <p>No sessions are running. Browsers that clients start appear here with thumbnails of their pages.</p>
      <a className="button docs" href={`${base}/overview/connection-urls`}>
        Connect a client
      </a>
    </div>
    <div id="no-match" className="empty" hidden>
      <Icon name="search" />
      <p>No session matches the filter.</p>
      <button type="button" id="clear-filter">
        Show all
      </button>
    </div>
    <p id="more-sessions" className="soft" hidden />
  </section>
);

const Queue = (): ReactNode => (
  <aside aria-labelledby="queue-title">
    <div className="list-head">
      <h2 id="queue-title">Queue</h2>
      <span id="queue-count" className="badge num" />
    </div>
    <ol id="queue" className="queue" />
    <p id="no-queue" className="soft">
      No requests are waiting.
    </p>
  </aside>
);

const Recordings = (): ReactNode => (
  <section aria-labelledby="recordings-title" className="recordings">
    <div className="list-head">
      <h2 id="recordings-title" tabIndex={-1}>
        Recordings
      </h2>
      <span id="recording-count" className="badge num" />
      <span id="kept" className="soft num" />
    </div>
    <table id="recordings" className="num" hidden>
      <thead>
        <tr>
          <th scope="col">Session</th>
          <th scope="col" className="wide">
            Kind
          </th>
          <th scope="col">Length</th>
          <th scope="col" className="wide">
            Size
          </th>
          <th scope="col">Ended</th>
          <th scope="col">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody id="recording-rows" />
    </table>
    <div id="no-recordings" className="empty" hidden>
      <Icon name="film" />
      <p>There are no recordings. Sessions that connect with record=true can be recorded, here or by their client.</p>
    </div>
  </section>
);

export const DashboardPage = ({ assets }: { assets: Assets }): ReactNode => {
  const data = {
    'data-base': base,
    'data-state': 'loading',
    'data-account': slot('dashboard', 'account'),
    'data-docs': slot('dashboard', 'docs'),
  } as const;
  return (
    <Document
      assets={assets}
      title="Dashboard · browserd"
      base={base}
      theme={slot('dashboard', 'theme')}
      data={data}
      switchesTheme
    >
      <Bar />
      <main>
        <Head />
        <p id="offline" className="notice-line" hidden />
        <p id="failure" className="notice-line" role="alert" hidden />
        <noscript>
          <p className="notice-line">
            The dashboard needs JavaScript. /sessions lists the running sessions without it.
          </p>
        </noscript>
        <Figures />
        <div className="columns">
          <Sessions />
          <Queue />
        </div>
        <Recordings />
      </main>
      <Menu />
      <Question />
      <DashboardTemplates />
    </Document>
  );
};
