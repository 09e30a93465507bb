/** Hydrates the URL builder, then fills in the reader's origin and token. */
import { type ReactNode, useEffect, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { builderDefaults, type Connection, UrlBuilderFields } from '../../components/url-builder.tsx';
import { copyText } from './copy.ts';
import { showIslandError } from '../shell/islands.ts';
import { origin } from '../shell/page-context.ts';
import { Boundary } from './boundary.tsx';
import { currentToken, needsToken, tokenEvent } from './token.ts';
import { sampleToken } from '../../site/site.ts';

function Builder({ connections }: { connections: readonly Connection[] }): ReactNode {
  // Hydration needs a first render that is identical to the build's.
  const [own, setOwn] = useState(builderDefaults);
  useEffect(() => {
    const read = () => setOwn({ origin, token: currentToken() || (needsToken() ? sampleToken : '') });
    read();
    addEventListener(tokenEvent, read);
    return () => removeEventListener(tokenEvent, read);
  }, []);
  return (
    <Boundary>
      <UrlBuilderFields connections={connections} {...own} copy={(text) => void copyText(text)} />
    </Boundary>
  );
}

interface BuilderProps {
  connections: readonly Connection[];
}

export function mount(element: HTMLElement, text: string): () => void {
  const props: BuilderProps = JSON.parse(text);
  const root = hydrateRoot(element, <Builder connections={props.connections} />, {
    onRecoverableError: (error) => console.error('hydration', error),
    onUncaughtError: (error) => showIslandError(element, String(error)),
  });
  return () => root.unmount();
}
