// TODO
import type { Row } from './row.ts';

export const bqlRows: readonly Row[] = [];
