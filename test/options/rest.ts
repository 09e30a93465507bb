// TODO
import type { Row } from './row.ts';

export const restRows: readonly Row[] = [];
