/** Groups the services behind /dashboard: sign-ins, feed, thumbnails and live views. */
import type { Ids } from '../../base/runtime/ids.ts';
import { DashboardViews } from './dashboard-views.ts';
import { DashboardFeed, type FeedOptions } from './feed.ts';
import { SignIns } from './sign-ins.ts';
import { Thumbnails } from './thumbnails.ts';

export class Dashboard {
  readonly signIns: SignIns;
  readonly feed: DashboardFeed;
  readonly thumbnails: Thumbnails;
  readonly views: DashboardViews;

  constructor(options: FeedOptions & { ids: Ids }) {
    this.signIns = new SignIns(options.ids);
    this.feed = new DashboardFeed(options);
    this.thumbnails = new Thumbnails(options.log);
    this.views = new DashboardViews(options.live);
  }
}
