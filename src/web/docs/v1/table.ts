/** Lists the pages about version 1 by their path under /baas/v1. */
import { apis } from './apis.ts';
import { docker } from './docker.ts';
import { guides } from './guides.ts';
import { hosted } from './hosted.ts';
import { libraries } from './libraries.ts';
import type { OldPage } from './model.ts';

export const oldPages: Readonly<Record<string, OldPage>> = { ...guides, ...apis, ...docker, ...hosted, ...libraries };
