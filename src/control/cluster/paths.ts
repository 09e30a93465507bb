/** What servers of a cluster ask each other. */

/** The name of a server. */
export const namePath = '/cluster/node';
/** Whether a server holds something. */
export const holdsPath = '/cluster/holds';
