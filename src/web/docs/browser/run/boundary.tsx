/** Isolates the rest of the page from errors in an island. */
import { Component, type ReactNode } from 'react';
import { messageOf } from '../shell/page-parts.ts';

/** Shows an error with a button to try again. */
export function ErrorBox({ message, onRetry }: { message: string; onRetry: () => void }): ReactNode {
  return (
    <div className="error-box" role="alert">
      <p>{message}</p>
      <button type="button" onClick={onRetry}>
        Retry
      </button>
    </div>
  );
}

/** Shows an error box instead of an island that throws; the rest of the page keeps working. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };
  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }
  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <ErrorBox message={messageOf(this.state.error)} onRetry={() => this.setState({ error: undefined })} />;
  }
}
