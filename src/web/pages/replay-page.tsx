/** The frame of the player page: its script creates the document in which a page is rebuilt. */
import type { ReactNode } from 'react';
import type { Assets } from './document.tsx';
import { slot } from './serve/page-slots.ts';

export const ReplayPage = ({ assets }: { assets: Assets }): ReactNode => {
  const base = slot('replay', 'base');
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Replay</title>
        <style>
          {'html, body { margin: 0; height: 100%; overflow: hidden } iframe { width: 100%; height: 100%; border: 0 }'}
        </style>
        <script type="module" src={base + assets.script} />
      </head>
      <body data-script={base + assets.inFrame} />
    </html>
  );
};
