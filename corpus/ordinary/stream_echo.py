"""An asyncio server with ten clients; all of it ends after the last client."""
import asyncio


async def answer(reader, writer):
    while line := await reader.readline():
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def client(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    total = 0
    for turn in range(400):
        writer.write(f"client {number} turn {turn} {'x' * 500}\n".encode())
        await writer.drain()
        total += len(await reader.readline())
    writer.close()
    await writer.wait_closed()
    return total


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        totals = await asyncio.gather(*(client(port, number) for number in range(10)))
    print(sum(totals), "bytes")


asyncio.run(main())
