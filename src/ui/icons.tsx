/** Icons of the pages, drawn on a grid of 20 pixels with lines of 1.5. A page contains those that it uses. */
import type { ReactNode } from 'react';

const paths = {
  arrow: 'M3.5 10h13M11.5 5l5 5-5 5',
  back: 'M16.5 10h-13M8.5 5l-5 5 5 5',
  check: 'm4 10.5 4 4 8-9',
  clipboard:
    'M7.75 4h-1.5A1.75 1.75 0 0 0 4.5 5.75v11.5h11V5.75A1.75 1.75 0 0 0 13.75 4h-1.5M7.75 5.25V4a2.25 2.25 0 0 1 4.5 0v1.25ZM7.5 9.5h5M7.5 12.75h3.5',
  close: 'm5 5 10 10M15 5 5 15',
  eye: 'M2.25 10S5 4.75 10 4.75 17.75 10 17.75 10 15 15.25 10 15.25 2.25 10 2.25 10ZM12.25 10a2.25 2.25 0 1 1-4.5 0 2.25 2.25 0 0 1 4.5 0Z',
  film: 'M4.75 4h10.5a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4.75a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2ZM8.5 7.5l4 2.5-4 2.5Z',
  full: 'M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4',
  globe:
    'M17.25 10a7.25 7.25 0 1 1-14.5 0 7.25 7.25 0 0 1 14.5 0ZM2.75 10h14.5M10 2.75c2 2 3 4.5 3 7.25s-1 5.25-3 7.25c-2-2-3-4.5-3-7.25s1-5.25 3-7.25Z',
  info: 'M17.25 10a7.25 7.25 0 1 1-14.5 0 7.25 7.25 0 0 1 14.5 0ZM10 9.25v4.25M10 6.6v.1',
  keyboard: 'M2.5 5h15v10.5h-15ZM5.5 8h.1M8.5 8h.1M11.5 8h.1M14.5 8h.1M7 12.5h6',
  lock: 'M6 8.75h8a1.75 1.75 0 0 1 1.75 1.75v4.5A1.75 1.75 0 0 1 14 16.75H6A1.75 1.75 0 0 1 4.25 15v-4.5A1.75 1.75 0 0 1 6 8.75ZM6.75 8.75V6.5a3.25 3.25 0 0 1 6.5 0v2.25',
  more: 'M4.5 10h.1M10 10h.1M15.5 10h.1',
  pause: 'M6.5 4.5v11M13.5 4.5v11',
  person: 'm4 3 11.5 5.25-5 1.75-2 5ZM11 11.5l4.5 4.5',
  play: 'M6 3.9v12.2L16 10Z',
  plus: 'M10 4v12M4 10h12',
  record: 'M15.25 10a5.25 5.25 0 1 1-10.5 0 5.25 5.25 0 0 1 10.5 0Z',
  reload: 'M16.25 10a6.25 6.25 0 1 1-1.83-4.42L16.5 7.5M16.5 3.5v4h-4',
  save: 'M10 3v9.5M6 9l4 4 4-4M3.75 16.5h12.5',
  search: 'M14.25 9a5.25 5.25 0 1 1-10.5 0 5.25 5.25 0 0 1 10.5 0ZM13 13l3.75 3.75',
  steps: 'M3 15.5h4v-4h4v-4h4v-4h2',
  trash: 'M3.75 5.5h12.5M8 5.5V3.25h4V5.5M5.25 5.5l.75 11h8l.75-11M8.4 8.5l.2 5M11.6 8.5l-.2 5',
  terminal: 'm3.5 5.5 4.5 4.5-4.5 4.5M9.5 15.5h7',
  warn: 'M10 3.25 17.5 16.5h-15ZM10 8.25v3.75M10 14.25v.1',
  users:
    'M10.5 7a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0ZM2.75 16a5 5 0 0 1 10 0M13 4.5a2.75 2.75 0 0 1 0 5M14.25 11.75a5 5 0 0 1 3 4.25',
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name, small = false }: { name: IconName; small?: boolean }): ReactNode => (
  <svg className={small ? `i s i-${name}` : `i i-${name}`} viewBox="0 0 20 20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
);
