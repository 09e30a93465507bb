// Half of the pages (compare-pages.ts).
// @tier ci
import { comparePages } from './compare-pages.ts';

comparePages(0, 2);
