/** Setting a cookie of a browser (Network.setCookie). */
import { type CommandParams, type Commands, ProtocolError } from '../cdp/connection.ts';

interface Sender {
  send(
    method: 'Network.setCookie',
    params: CommandParams<'Network.setCookie'>,
  ): Promise<Commands['Network.setCookie']['returnType']>;
}

/** Sets one cookie; false when the browser refuses it, which it does by an error or by its answer, without a reason. */
export async function setCookie(sender: Sender, cookie: CommandParams<'Network.setCookie'>): Promise<boolean> {
  try {
    return (await sender.send('Network.setCookie', cookie)).success;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
}
