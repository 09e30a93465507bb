/** The page that asks for the server's token before the dashboard or the documentation. Only its color switch needs a script. */
import type { ReactNode } from 'react';
import { Header } from '../theme/brand.tsx';
import { type Assets, Document } from './document.tsx';
import { slot } from './serve/page-slots.ts';

export const SignInPage = ({ assets }: { assets: Assets }): ReactNode => (
  <Document
    assets={assets}
    title="Sign in · browserd"
    base={slot('sign-in', 'base')}
    theme={slot('sign-in', 'theme')}
    switchesTheme
  >
    <Header />
    <main className="sign-in">
      <h1>Sign in to {slot('sign-in', 'name')}</h1>
      <form method="post" action={slot('sign-in', 'base') + slot('sign-in', 'action')}>
        <input name="next" type="hidden" value={slot('sign-in', 'next')} />
        <label htmlFor="token">Server token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autoComplete="current-password"
          aria-describedby="problem about"
        />
        <p id="problem" className="problem" role="alert">
          {slot('sign-in', 'problem')}
        </p>
        <button className="primary">Sign in</button>
      </form>
      <p id="about">You stay signed in for 8 hours in this browser.</p>
    </main>
  </Document>
);
