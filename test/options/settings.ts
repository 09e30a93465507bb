// TODO
import type { Row } from './row.ts';

export const settingRows: readonly Row[] = [];
