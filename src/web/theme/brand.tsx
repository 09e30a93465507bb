/** Parts of the header of every page: the logo with the name of the product, and the color switch. */
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

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

/** Switches between light, dark and system; a script labels it and restores the choice. */
export const ThemeButton = (): ReactNode => (
  <button type="button" className="needs-script theme icon" data-theme-toggle aria-label="Color mode">
    <Icon name="sun" />
    <Icon name="moon" />
    <Icon name="desk" />
  </button>
);

/** The header of a page with few links. */
export const Header = ({ children }: { children?: ReactNode }): ReactNode => (
  <header className="navbar">
    <Brand />
    {children}
    <div className="nav-right">
      <ThemeButton />
    </div>
  </header>
);
