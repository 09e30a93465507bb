/** Renders Run and Stop as a single button, which keeps the focus when it changes. */
import type { ReactNode, Ref } from 'react';

export interface RunButtonProps {
  ref?: Ref<HTMLButtonElement>;
  isRunning: boolean;
  onRun: () => Promise<void>;
  onStop: () => void;
}

export function RunButton({ ref, isRunning, onRun, onStop }: RunButtonProps): ReactNode {
  return (
    <button
      ref={ref}
      type="button"
      className={isRunning ? 'run-button' : 'run-button primary'}
      onClick={() => (isRunning ? onStop() : void onRun())}
    >
      {isRunning ? 'Stop' : 'Run'}
    </button>
  );
}
