/** Renders the pages to HTML, with placeholders that the server fills. */
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { DashboardPage } from './dashboard-page.tsx';
import type { Assets } from './document.tsx';
import { LivePage } from './live-page.tsx';
import { NoticePage } from './notice-page.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { PlayerPage } from './player-page.tsx';
import { ReplayPage } from './replay-page.tsx';
import type { PageSlots } from './serve/page-slots.ts';

const pages: Readonly<Record<keyof PageSlots, (props: { assets: Assets }) => ReactNode>> = {
  dashboard: DashboardPage,
  'sign-in': SignInPage,
  live: LivePage,
  notice: NoticePage,
  player: PlayerPage,
  replay: ReplayPage,
};

/** Returns the HTML of a page. */
export function renderPage(name: keyof PageSlots, assets: Assets): string {
  const Page = pages[name];
  return `<!doctype html>${renderToStaticMarkup(<Page assets={assets} />)}`;
}
