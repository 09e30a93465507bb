// TODO
import type { Row } from './row.ts';

export const managementRows: readonly Row[] = [];
