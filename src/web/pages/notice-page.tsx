/** A page with one message: the link has expired, is unknown, or has too many viewers. It needs no script. */
import type { ReactNode } from 'react';
import { type Assets, Document } from './document.tsx';
import { Icon } from '../theme/icons.tsx';
import { slot } from './serve/page-slots.ts';

export const NoticePage = ({ assets }: { assets: Assets }): ReactNode => (
  <Document
    assets={assets}
    title={slot('notice', 'title')}
    base={slot('notice', 'base')}
    theme={slot('notice', 'theme')}
  >
    <main className="notice">
      <Icon name="info" />
      <h1>{slot('notice', 'title')}</h1>
      <p>{slot('notice', 'text')}</p>
      <a className="button" href={slot('notice', 'again')}>
        Try again
      </a>
    </main>
  </Document>
);
