// Owns the library's values by smart pointers, and runs functions that it composes as text.
#include <gusset.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

struct Free {
    void operator()(gusset_target *value) const { gusset_target_free(value); }
    void operator()(gusset_memory *value) const { gusset_memory_free(value); }
    void operator()(gusset_module *value) const { gusset_module_free(value); }
    void operator()(gusset_error *value) const { gusset_error_free(value); }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

// Calls a function that can fail, and throws its error.
template <class F, class... Arguments> auto call(F function, Arguments... arguments) {
    gusset_error *error = nullptr;
    auto *value = function(arguments..., &error);
    Owned<gusset_error> owned(error);
    if (!value) throw std::runtime_error(gusset_error_message(error));
    return Owned<std::remove_pointer_t<decltype(value)>>(value);
}

int main() {
    auto target = call(gusset_target_host);
    Owned<gusset_memory> memory(gusset_memory_new());
    std::vector<Owned<gusset_module>> modules;
    // Each function calls the one before.
    for (int n = 0; n < 20; ++n) {
        std::string name = "f" + std::to_string(n), text;
        if (n == 0) {
            text = "define i64 @f0(i64 %x) { ret i64 %x }";
        } else {
            std::string last = "@f" + std::to_string(n - 1);
            text = "declare i64 " + last + "(i64)\ndefine i64 @" + name + "(i64 %x) { %y = call i64 " + last +
                   "(i64 %x)\n %z = add i64 %y, " + std::to_string(n) + "\n ret i64 %z }";
        }
        const gusset_options *options = nullptr;
        modules.push_back(call(gusset_memory_add, memory.get(), target.get(), options, name.c_str(), text.data(), text.size()));
    }
    auto last = reinterpret_cast<long long (*)(long long)>(gusset_module_address(modules.back().get(), "f19"));
    std::printf("sum: %lld\n", last(1000));
    try {
        call(gusset_target_new, "z80-unknown-none", nullptr, nullptr);
    } catch (const std::runtime_error &wrong) {
        std::printf("caught: %d\n", std::string(wrong.what()).find("z80") != std::string::npos);
    }
}
