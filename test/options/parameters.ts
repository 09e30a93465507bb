// TODO
import type { Row } from './row.ts';

export const parameterRows: readonly Row[] = [];
