/** Every route there is. */
import { content } from './rest/content.ts';
import { pdf } from './rest/pdf.ts';
import { scrape } from './rest/scrape.ts';
import { screenshot } from './rest/screenshot.ts';
import { jsonList, jsonProtocol, jsonVersion } from './manage/discovery.ts';
import { metrics, metricsTotal } from './manage/metrics.ts';
import { openApiRoute } from './manage/openapi.ts';
import { kill, sessions } from './manage/sessions.ts';
import { active, config, meta, pressure } from './manage/status.ts';
import type { ManageRoute, PageRoute } from './route.ts';

export const pageRoutes: readonly PageRoute[] = [content, pdf, screenshot, scrape];

const describedRoutes: readonly ManageRoute[] = [
  active,
  pressure,
  meta,
  config,
  sessions,
  kill,
  metrics,
  metricsTotal,
  jsonVersion,
  jsonProtocol,
  jsonList,
];

export const manageRoutes: readonly ManageRoute[] = [...describedRoutes, openApiRoute(pageRoutes, describedRoutes)];
