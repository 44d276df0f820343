"""An asyncio service that answers requests in tasks of their own."""
import asyncio

import numpy as np


class Service:
    def __init__(self):
        self.rng = np.random.default_rng(2)
        self.tasks = set()

    async def answer(self, size):
        await asyncio.sleep(0)
        return np.cumsum(self.rng.random(size))

    def request(self, size):
        task = asyncio.create_task(self.answer(size))
        self.tasks.add(task)
        return task


async def main():
    service = Service()
    total = 0.0
    for _ in range(200):
        result = await service.request(5000)
        total += float(result[-1])
        await asyncio.sleep(0.012)
    print(round(total, 2))


if __name__ == "__main__":
    asyncio.run(main())
