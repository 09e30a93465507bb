/** Opens the request editor: in place of a sample, or in the islands of the playground and of the URL builder. */
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { RunnableRequest } from '../../samples/runnable.ts';
import { ErrorBox } from '../run/boundary.tsx';
import { messageOf } from '../shell/page-parts.ts';
import { draftIn, isShared } from './draft.ts';
import { loadOperations, type Operation } from './operations.ts';
import { PageForm, type PageFormProps } from './page-form.tsx';
import { PanelForm } from './panel-form.tsx';
import { render } from './render.tsx';
import { UrlForm } from './url-form.tsx';

export { capture } from './home-form.tsx';

/** Opens the panel of a sample in its place, or closes it if it is open. */
export function openRunPanel(figure: HTMLElement, button: HTMLElement): void {
  const next = figure.nextElementSibling;
  if (next?.classList.contains('run-host')) return void next.dispatchEvent(new CustomEvent('run:close'));
  const request: RunnableRequest = JSON.parse(button.dataset['run'] ?? '{}');
  const host = document.createElement('div');
  host.className = 'run-host';
  figure.after(host);
  figure.hidden = true;
  const close = () => {
    unmount();
    host.remove();
    figure.hidden = false;
    document.removeEventListener('docs:leaving', close);
    if (button.isConnected) button.focus();
  };
  host.addEventListener('run:close', close);
  document.addEventListener('docs:leaving', close);
  const unmount = render(host, <PanelForm request={request} onClose={close} />);
}

/** Mounts the island of the playground, or of the URL builder. */
export function mount(element: HTMLElement): () => void {
  return render(element, <WithOperations form={element.dataset['island'] === 'url-builder' ? UrlForm : Playground} />);
}

type OperationsForm = (props: { operations: readonly Operation[] }) => ReactNode;

/** Renders a form once the operations that this server offers are loaded. */
function WithOperations({ form: Form }: { form: OperationsForm }): ReactNode {
  const [operations, setOperations] = useState<readonly Operation[]>();
  const [failure, setFailure] = useState('');
  const load = useCallback(() => {
    loadOperations().then(setOperations, (error: unknown) => setFailure(messageOf(error)));
  }, []);
  useEffect(load, [load]);
  if (operations !== undefined) return <Form operations={operations} />;
  if (failure === '') return <p className="run-note">Loading the operations of this server.</p>;
  const retry = () => {
    setFailure('');
    load();
  };
  return <ErrorBox message={`The list of operations could not be loaded: ${failure}`} onRetry={retry} />;
}

type Shared = PageFormProps['shared'];

async function readAddress(): Promise<Shared> {
  if (!isShared(location.hash)) return { draft: undefined, notice: '' };
  const draft = await draftIn(location.hash);
  return draft === undefined
    ? { draft, notice: 'The playground cannot read this link. It may have been cut off.' }
    : { draft, notice: 'Filled in from a link, not run. Review it before you press Run: it runs with your token.' };
}

/** The page form, which links fill in. */
function Playground({ operations }: { operations: readonly Operation[] }): ReactNode {
  const [shared, setShared] = useState<Shared>();
  useEffect(() => {
    const read = () => void readAddress().then(setShared);
    read();
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return shared === undefined ? null : <PageForm operations={operations} shared={shared} />;
}
