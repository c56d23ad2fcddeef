// The part of the driver `pg` that we use. The package is optional, so its types may be absent.
declare module 'pg' {
  export interface ClientConfig {
    readonly connectionString: string;
    readonly connectionTimeoutMillis: number;
    readonly query_timeout: number;
    readonly statement_timeout: number;
    readonly keepAlive: boolean;
    readonly application_name: string;
  }

  export interface ArrayQuery {
    /** A named statement is parsed once for each connection. */
    readonly name?: string;
    readonly text: string;
    readonly values?: readonly unknown[];
    readonly rowMode: 'array';
  }

  export class Client {
    constructor(config: ClientConfig);
    connect(): Promise<void>;
    query(query: ArrayQuery): Promise<{ readonly rows: readonly (readonly unknown[])[] }>;
    end(): Promise<void>;
    on(event: 'error', listener: (error: Error) => void): this;
  }
}
