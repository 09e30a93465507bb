/** Sets a cookie in the browser (Network.setCookie). */
import { type CommandParams, type Commands, ProtocolError } from '../cdp/connection.ts';

interface Sender {
  send(
    method: 'Network.setCookie',
    params: CommandParams<'Network.setCookie'>,
  ): Promise<Commands['Network.setCookie']['returnType']>;
}

/** Sets one cookie. Returns false when Chromium refuses it, by a protocol error or `success: false`, with no reason. */
export async function setCookie(sender: Sender, cookie: CommandParams<'Network.setCookie'>): Promise<boolean> {
  try {
    return (await sender.send('Network.setCookie', cookie)).success;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}
