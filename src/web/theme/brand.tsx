/** The logo and the name of the product. */
import type { ReactNode } from 'react';

const mark =
  'M5.5 8.25A1.75 1.75 0 0 1 7.25 6.5h9.5a1.75 1.75 0 0 1 1.75 1.75v7.5a1.75 1.75 0 0 1-1.75 1.75h-9.5a1.75 1.75 0 0 1-1.75-1.75ZM5.5 9.5h13M8.5 12l1.75 1.5-1.75 1.5M12 15.25h3';

export const Brand = (): ReactNode => (
  <span className="brand">
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" />
      <path d={mark} />
    </svg>
    browserd
  </span>
);
