/** Mounts the request editor: fetches the operations that this server offers, and reads shared links. */
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import callStyles from '../call/call.css';
import { addStyles } from '../call/styles.ts';
import { Boundary } from '../run/boundary.tsx';
import { messageOf } from '../shell/page-parts.ts';
import { RequestForm } from './bench.tsx';
import { loadOperations, type Operation } from './operations.ts';
import styles from './request-editor.css';
import { isShared, type Draft, draftIn } from './shared-address.ts';

/** The content of the URL; each read returns a new object. */
interface Shared {
  work: Draft | undefined;
  notice: string;
}

async function readAddress(): Promise<Shared> {
  if (!isShared(location.hash)) return { work: undefined, notice: '' };
  const work = await draftIn(location.hash);
  return work === undefined
    ? { work, notice: 'The playground cannot read this link. It may have been cut off.' }
    : { work, notice: 'Filled in from a link, not run. Review it before you press Run: it runs with your token.' };
}

function RequestEditor(): ReactNode {
  const [operations, setOperations] = useState<readonly Operation[]>();
  const [shared, setShared] = useState<Shared>();
  const [failure, setFailure] = useState('');
  const load = useCallback(() => {
    loadOperations().then(setOperations, (error: unknown) => setFailure(messageOf(error)));
  }, []);
  useEffect(load, [load]);
  useEffect(() => {
    const read = () => void readAddress().then(setShared);
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  if (failure !== '') {
    return (
      <div className="error-box" role="alert">
        <p>{`The list of operations could not be loaded: ${failure}`}</p>
        <button
          type="button"
          onClick={() => {
            setFailure('');
            load();
          }}
        >
          Retry
        </button>
      </div>
    );
  }
  if (operations === undefined || shared === undefined) return <p className="run-note">Loading the playground.</p>;
  return <RequestForm operations={operations} shared={shared} />;
}

export function mount(element: HTMLElement): () => void {
  addStyles(callStyles);
  addStyles(styles);
  const root = createRoot(element);
  root.render(
    <Boundary>
      <RequestEditor />
    </Boundary>,
  );
  return () => root.unmount();
}
