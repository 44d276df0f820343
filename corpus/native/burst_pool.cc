// burst_pool.cc - a pool of twelve threads; one early burst of parsing, quiet batches afterwards.
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <tare/mark.h>

#include "work.h"

namespace {

class Pool {
public:
    explicit Pool(size_t count)
    {
        for (size_t i = 0; i < count; i++)
            threads_.emplace_back([this] { serve(); });
    }
    ~Pool()
    {
        run(nullptr);
        for (auto &thread : threads_)
            thread.join();
    }
    // Every thread calls the job once; returns when all have (a null job ends the pool).
    void run(const std::function<void()> *job)
    {
        std::unique_lock<std::mutex> hold(lock_);
        job_ = job;
        left_ = threads_.size();
        round_++;
        begin_.notify_all();
        done_.wait(hold, [this] { return left_ == 0; });
    }

private:
    void serve()
    {
        uint64_t seen = 0;
        for (;;) {
            const std::function<void()> *job;
            {
                std::unique_lock<std::mutex> hold(lock_);
                begin_.wait(hold, [&] { return round_ != seen; });
                seen = round_;
                job = job_;
            }
            if (job)
                (*job)();
            std::lock_guard<std::mutex> hold(lock_);
            if (--left_ == 0)
                done_.notify_all();
            if (!job)
                return;
        }
    }

    std::mutex lock_;
    std::condition_variable begin_, done_;
    const std::function<void()> *job_ = nullptr;
    size_t left_ = 0;
    uint64_t round_ = 0;
    std::vector<std::thread> threads_;
};

void parse(size_t records)
{
    std::vector<std::unique_ptr<char[]>> held;
    for (size_t i = 0; i < records; i++) {
        held.emplace_back(new char[1500]);
        held.back()[0] = static_cast<char>(i);
        consume(held.back().get(), 1);
    }
}

}  // namespace

int main()
{
    std::unique_ptr<std::vector<char>> archive(new std::vector<char>(28 << 20, 'x'));
    consume(archive->data(), archive->size());
    archive.reset();

    Pool pool(12);
    const std::function<void()> heavy = [] { parse(8000); }, light = [] { parse(10); };
    for (uint64_t step = 0; step < 250; step++) {
        tare_step(step);
        pool.run(step >= 40 && step < 60 ? &heavy : &light);
        learn(nullptr, 0, 8);
    }
    std::puts("done");
    return 0;
}
