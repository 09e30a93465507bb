// TODO
import type { Row } from './row.ts';

export const launchRows: readonly Row[] = [];
