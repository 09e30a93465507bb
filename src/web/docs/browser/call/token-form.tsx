/** Asks for the token after a request was refused. */
import { type ReactNode, useEffect, useId, useRef } from 'react';

export function TokenForm({ refused, onToken }: { refused: boolean; onToken: (token: string) => void }): ReactNode {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <form
      className="run-token"
      onSubmit={(event) => {
        event.preventDefault();
        onToken(input.current?.value ?? '');
      }}
    >
      <strong>{refused ? 'This server rejected the token' : 'This server requires a token'}</strong>
      <p>Save it once; every sample on every page uses it.</p>
      <label className="hidden" htmlFor={id}>
        API token
      </label>
      <input
        ref={input}
        id={id}
        type="password"
        placeholder="Token"
        autoComplete="off"
        spellCheck={false}
        required
        aria-invalid={refused}
      />{' '}
      <button type="submit" className="primary">
        Save and run
      </button>
    </form>
  );
}
